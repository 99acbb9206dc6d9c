/** Entries of profiles and documents that hold now: those that a question is about, or the newest ones of profiles. */
import { and, isNull } from '@loomlog/views/condition'
import { type EntryRow, entries as entryTable, ofProfiles } from '@loomlog/views/tables/entries'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { memoryOf, type Scored } from '../memory.ts'
import { textsToEmbed } from '../ranking/rank-utterances.ts'
import type { RecallOptions } from '../recall-options.ts'
import { conditionOf, type Scope } from '../request/scope.ts'
import { searchTable } from '../search/search-table.ts'
import { stemsOf } from '../text/stems.ts'

export type CurrentEntry = Scored

interface EntriesWanted {
  /** `tenant/space` */
  readonly space: string
  readonly scope: Scope
  /** Null: none. */
  readonly question: string | null
  /** Utterances that newer evidence replaced, or that were retracted. */
  readonly outdated: ReadonlySet<string>
}

const maxHits = 60
const maxEntries = 24
/** An entry below this share of the best one's score is about something else. */
const leastShare = 0.5

/** Best first. */
export async function currentEntries(
  { space, scope, question, outdated }: EntriesWanted,
  options: RecallOptions,
): Promise<readonly CurrentEntry[]> {
  const found =
    question === null ? await newest(space, scope, options) : await about(question, { space, scope }, options)
  const distinct = [...new Map(found.toReversed().map((entry) => [entry.text, entry])).values()].toReversed()
  const standing = distinct.filter(({ sources }) => !sources.every((id) => outdated.has(id))).slice(0, maxEntries)
  const cited = [...new Set(standing.flatMap(({ sources }) => sources))]
  const rows = await options.views.byIds(utteranceTable, space, cited)
  const supporting = new Set(rows.filter((row) => row.knownTo === null || row.correction !== null).map(({ id }) => id))
  return standing.filter(({ sources }) => sources.some((id) => supporting.has(id)))
}

async function about(
  question: string,
  { space, scope }: Pick<EntriesWanted, 'space' | 'scope'>,
  { views, embedder }: RecallOptions,
): Promise<readonly CurrentEntry[]> {
  const vectors = await embedder.embed(textsToEmbed(question).slice(0, 1))
  const search = { space, query: question, vectors, scope, limit: maxHits, where: isNull('replacedBy') }
  const { rows, wordShares, cosines } = await searchTable(entryTable, search, views)
  const asked = stemsOf(question).counts
  const scored = [...rows.values()]
    .filter(({ statement }) => [...stemsOf(statement).counts.keys()].some((stem) => asked.has(stem)))
    .map((row) => entryOf(row, (wordShares.get(row.id) ?? 0) + (cosines[0]?.get(row.id) ?? 0)))
    .toSorted((a, b) => b.score - a.score)
  const least = leastShare * (scored[0]?.score ?? 0)
  return scored.filter(({ score }) => score >= least)
}

async function newest(space: string, scope: Scope, { views }: RecallOptions): Promise<readonly CurrentEntry[]> {
  const where = and<EntryRow>(conditionOf(scope), ofProfiles)
  const rows = await views.scan(entryTable, { space, where, orderBy: newestFirst, limit: maxHits })
  return rows.map((row, at) => entryOf(row, 1 / (1 + at)))
}

const newestFirst = [
  { by: 'validFrom', direction: 'descending' },
  { by: 'knownFrom', direction: 'descending' },
] as const

function entryOf(row: EntryRow, score: number): CurrentEntry {
  return { ...memoryOf(row.kind === 'profile' ? 'profile' : 'document', row), text: row.statement, score }
}
