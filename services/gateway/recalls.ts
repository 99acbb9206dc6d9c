/** Recall over HTTP: the request checked, the evidence sent, and after that the served recall recorded. */
import type { Place } from '@loomlog/intake/utterance'
import { type RecallOptions, recall } from '@loomlog/recall/recall'
import type { Recalls } from '@loomlog/recall/served'
import { spaceKey } from '@loomlog/schemas/ids'
import { recallRequestFrom } from './query.ts'

export interface RecallRouteOptions extends RecallOptions {
  /** The generation that answers. */
  readonly generation: string
  /** Null: what is served is not recorded. */
  readonly recalls: Recalls | null
}

/** @throws LoomlogError `input-invalid`, with the parameter */
export async function serveRecall(given: unknown, place: Place, options: RecallRouteOptions): Promise<object> {
  const asked = recallRequestFrom(given, place)
  const answer = await recall(asked, options)
  const { generation, recalls } = options
  const { query } = asked
  recalls?.served({ spaces: [asked.space].flat(), query, generation, answer, servedAt: Date.now() })
  const { items: memories, tokens, leftOut } = answer
  return { space: spaceKey(place.tenant, place.space), query, generation, memories, tokens, leftOut }
}
