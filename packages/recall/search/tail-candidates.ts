/** The newest utterances, which no view has seen yet: candidates by their words, with meanings made at the time of the question. */
import { cosine } from '@loomlog/language/cosine'
import { wordsOf } from '@loomlog/schemas/words'
import type { Memory } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { holdsFor } from '../request/scope.ts'
import { stemsOf } from '../text/stems.ts'
import type { PoolSearch } from './candidate-tables.ts'
import { type Tail, type TailUtterance, tailOf } from './log-tail.ts'

/** What no view has seen is found by its words: it is a candidate where it holds some of the question's. */
export async function tailFor({ space, query, within, tail }: PoolSearch, options: RecallOptions): Promise<Tail> {
  const asked = stemsOf(query).counts
  const holdsSome = (words: string) => [...stemsOf(words).counts.keys()].some((stem) => asked.has(stem))
  const { said, unsearched } = await (tail?.() ?? tailOf(space, options))
  const isWanted = ({ event }: TailUtterance) =>
    holdsFor(event, within) && holdsSome(`${event.speaker}: ${wordsOf(event)}`)
  return { said: said.filter(isWanted), unsearched }
}

export async function cosinesOf(
  memories: readonly Memory[],
  { vectors }: PoolSearch,
  { embedder }: RecallOptions,
): Promise<ReadonlyMap<string, readonly number[]>> {
  if (memories.length === 0) return new Map()
  const own = await embedder.embed(memories.map(({ text }) => text))
  const near = (at: number) => vectors.map((vector) => Math.max(0, cosine(vector, own[at] ?? vector)))
  return new Map(memories.map(({ id }, at) => [id, near(at)]))
}
