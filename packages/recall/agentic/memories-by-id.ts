/** Memories by their ids, in the order of the ids, the first with the highest score; utterances of the log tail too. */
import { memoryOf, type ScoredMemory } from '../memory.ts'
import { memoryOfTail, readTail } from '../search/log-tail.ts'
import type { ToolContext } from '../tools/tool.ts'

export async function memoriesOf(ids: readonly string[], place: ToolContext): Promise<readonly ScoredMemory[]> {
  const { space, views } = place
  const score = new Map(ids.map((id, index) => [id, 1 / (index + 1)]))
  const found = new Map<string, ScoredMemory>()
  for (const table of views.tables) {
    const [kind] = table.kinds
    if (!table.isSearchedByTools || kind === undefined) continue
    for (const row of await views.byIds(table, space, ids)) {
      found.set(row.id, { ...memoryOf(kind, row, table), score: score.get(row.id) ?? 0 })
    }
  }
  for (const utterance of await readTail(space, place)) {
    const { id } = utterance.event
    const rank = score.get(id)
    if (rank !== undefined && !found.has(id)) found.set(id, { ...memoryOfTail(utterance), score: rank })
  }
  return ids.map((id) => found.get(id)).filter((memory) => memory !== undefined)
}
