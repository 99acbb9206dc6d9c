/** The utterances that derived rows cite. A fact or an event is evidence for the utterances it was derived from. */
import type { FoundRow } from '@loomlog/views/row'
import { payloadOf } from '../memory.ts'
import type { Scores } from './search-table.ts'

export function citedUtterances(row: FoundRow): readonly string[] {
  const { sources, utterances } = payloadOf(row)
  return sources ?? utterances?.map(({ id }) => id) ?? []
}

/** For each cited utterance, the best score among the rows that cite it. */
export function bestByUtterance(rows: ReadonlyMap<string, FoundRow>, scores: Scores = new Map()): Scores {
  const best = new Map<string, number>()
  for (const [id, score] of scores) {
    const row = rows.get(id)
    for (const utterance of row ? citedUtterances(row) : []) {
      best.set(utterance, Math.max(score, best.get(utterance) ?? 0))
    }
  }
  return best
}
