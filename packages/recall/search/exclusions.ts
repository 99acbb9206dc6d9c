/**
 * The memories that a request leaves out: by id, the last utterances of a conversation, and the question itself, which
 * is its own best hit once it is appended. A memory that rests on excluded ones alone is left out too.
 */
import { and, equals, isNull } from '@loomlog/views/condition'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { byTime, type Memory, memoryOf } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import type { CheckedRequest, ConversationEnd } from '../request/request.ts'
import type { CandidateSearch } from './candidate-search.ts'
import { memoryOfTail, tailOf } from './log-tail.ts'
import { newestFirst } from './newest-first.ts'

export type Exclusion = (memory: Memory) => boolean

export async function exclusionsOf(
  { exclude, excludeLast, query, spaces }: Pick<CheckedRequest, 'exclude' | 'excludeLast' | 'query' | 'spaces'>,
  searches: readonly Pick<CandidateSearch, 'space' | 'tail'>[],
  options: RecallOptions,
): Promise<readonly Exclusion[]> {
  const ends = spaces.flatMap((space) => {
    const tail = searches.find((search) => search.space === space)?.tail
    return excludeLast.map((end) => lastOf(end, { space, tail }, options))
  })
  const ids = new Set([...exclude, ...(await Promise.all(ends)).flat()])
  const byId: Exclusion = ({ id, sources }) =>
    ids.has(id) || (sources.length > 0 && sources.every((source) => ids.has(source)))
  const repeats: Exclusion = (memory) => memory.kind === 'utterance' && isSameText(memory, query)
  // Every candidate is tested twice, so a test that can't match any is left out.
  return [...(ids.size > 0 ? [byId] : []), ...(/[?？]\s*$/.test(query) ? [repeats] : [])]
}

async function lastOf(
  { conversation, count }: ConversationEnd,
  { space, tail }: Pick<CandidateSearch, 'space' | 'tail'>,
  options: RecallOptions,
): Promise<readonly string[]> {
  // The tail first: the scan fixes the state of the view for the whole recall, and the tail must begin at that state or
  // before it.
  const { utterances } = await (tail?.() ?? tailOf(space, options))
  // Corrections are rows of this table too, and have `knownTo` from the start.
  const where = and(equals('conversation', conversation), isNull('knownTo'))
  const rows = await options.views.scan(utteranceTable, { space, where, orderBy: newestFirst, limit: count })
  const spoken = rows.map((row) => memoryOf('utterance', row))
  const newest = utterances.map(memoryOfTail).filter((memory) => memory.conversation === conversation)
  const ids = [...spoken, ...newest].toSorted(byTime).map(({ id }) => id)
  return [...new Set(ids)].slice(-count)
}

/** Lengths are compared first, because most texts differ in length. */
function isSameText({ text, speaker }: Memory, query: string): boolean {
  return (
    text.length === speaker.length + 2 + query.length && text.toLowerCase() === `${speaker}: ${query}`.toLowerCase()
  )
}
