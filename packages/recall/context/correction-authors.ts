/** Statements of corrections in a context: each says who made it, since no utterance does. */
import type { ViewReader } from '@loomlog/views/reader'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import type { ScoredMemory } from '../memory.ts'

/** The part of a person in a statement, by action. */
const parts: ReadonlyMap<string, string> = new Map([
  ['replace', 'corrected by'],
  ['pin', 'confirmed by'],
  ['add', 'added by'],
])

/** By memory, `corrected by Ines`; only memories that a correction states. @param space `tenant/space` */
export async function correctionAuthors(
  space: string,
  memories: readonly Pick<ScoredMemory, 'id' | 'sources'>[],
  views: ViewReader,
): Promise<ReadonlyMap<string, string>> {
  const cited = [...new Set(memories.flatMap(({ sources }) => sources))]
  const rows = cited.length === 0 ? [] : await views.byIds(utteranceTable, space, cited)
  const authors = new Map(
    rows.flatMap(({ id, correction }) => {
      const part = parts.get(correction?.action ?? '')
      return part === undefined ? [] : [[id, `${part} ${correction?.by}`] as const]
    }),
  )
  return new Map(
    memories.flatMap(({ id, sources }) => {
      const author = sources.map((source) => authors.get(source)).findLast((each) => each !== undefined)
      return author === undefined ? [] : [[id, author] as const]
    }),
  )
}
