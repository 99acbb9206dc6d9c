/** The key of the watermark row. */
import type { Row } from '../row.ts'
import { literal } from './sql.ts'

/** A key that no memory's row has: theirs contain slashes, or are names without a `#`. */
export const watermarkKey = '#watermark'

export const isWatermark = `key = ${literal(watermarkKey)}`

export function isMark({ id, space }: Row): boolean {
  return id === watermarkKey && space === ''
}
