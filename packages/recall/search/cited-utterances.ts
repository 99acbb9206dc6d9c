/** The utterances that derived rows cite. A fact is evidence for the utterances it was derived from. */
import type { Row } from '@loomlog/views/row'
import type { Scores } from './search-table.ts'

/** For each cited utterance, the best score among the rows that cite it. */
export function bestByUtterance(rows: ReadonlyMap<string, Row>, scores: Scores = new Map()): Scores {
  const best = new Map<string, number>()
  for (const [id, score] of scores) {
    for (const utterance of rows.get(id)?.sources ?? []) {
      best.set(utterance, Math.max(score, best.get(utterance) ?? 0))
    }
  }
  return best
}
