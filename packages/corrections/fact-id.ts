/**
 * The id of the fact that a correction states. fact-extractor records it, and consolidator finds the entry that was
 * made of it.
 */
import { derivedId } from '@loomlog/schemas/ids'

/** @param correction the id of the `MemoryCorrected` */
export function correctionFactId(correction: string): string {
  return derivedId('fact-extractor', correction, 0)
}
