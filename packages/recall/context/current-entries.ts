/** Entries of profiles and documents that hold now: those that a question is about, or the newest ones of profiles. */
import { and, type Condition, isNull, or } from '@loomlog/views/condition'
import { type EntryRow, entries as entryTable, ofProfiles } from '@loomlog/views/tables/entries'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { memoryOf, type ScoredMemory } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { conditionOf, endedCondition, momentOf, type Scope } from '../request/filter.ts'
import type { CandidateSearch } from '../search/candidate-search.ts'
import { endingAfter, holdingAt } from '../search/holding-entries.ts'
import { searchTable } from '../search/search-table.ts'
import { sentencesWithout } from '../search/wording.ts'
import { stemsOf } from '../text/stems.ts'
import { type EntryTimes, entryTimes } from './entry-times.ts'

export interface CurrentEntry extends ScoredMemory {
  readonly times: EntryTimes
}

export interface OutdatedUtterance {
  readonly text: string
  /** The sentences that no longer hold; null: the whole text. */
  readonly sentences: readonly string[] | null
}

interface EntriesWanted {
  /** `tenant/space` */
  readonly space: string
  readonly scope: Scope
  /** Null: a context without a question. */
  readonly question: Pick<CandidateSearch, 'query' | 'vectors'> | null
  /** Utterances that newer evidence replaced, or that were retracted; by id. */
  readonly outdated: ReadonlyMap<string, OutdatedUtterance>
}

type HoldingEntry = ScoredMemory & { readonly row: EntryRow }

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
  const standing = distinct.filter((entry) => !isMadeFromOutdated(entry, outdated)).slice(0, maxEntries)
  const successors = await successorsOf(standing, space, options)
  const cited = new Set([...standing, ...successors.values()].flatMap(({ sources }) => sources))
  const rows = await options.views.byIds(utteranceTable, space, [...cited])
  const supporting = new Set(rows.filter((row) => row.knownTo === null || row.correction !== null).map(({ id }) => id))
  const byId = new Map(rows.map((each) => [each.id, each]))
  const citedBy = (entry: EntryRow | undefined) => entry?.sources.flatMap((id) => byId.get(id) ?? []) ?? []
  return standing
    .filter(({ sources }) => sources.some((id) => supporting.has(id)))
    .map(({ row, ...entry }) => {
      const successor = successors.get(row.replacedBy ?? '')
      const cited = { entry: citedBy(row), successor: citedBy(successor) }
      return { ...entry, times: entryTimes({ row, successor, cited }, momentOf(scope.asOf)) }
    })
}

async function successorsOf(
  standing: readonly HoldingEntry[],
  space: string,
  { views }: RecallOptions,
): Promise<ReadonlyMap<string, EntryRow>> {
  const ids = new Set(standing.flatMap(({ row }) => row.replacedBy ?? []))
  const rows = ids.size === 0 ? [] : await views.byIds(entryTable, space, [...ids])
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * An entry doesn't name the sentence that it was made from, and has names and dates instead of pronouns and days. So it
 * is kept if a sentence that still holds has more of its words than any outdated one; in doubt it is left out.
 */
function isMadeFromOutdated({ text, speaker, sources }: HoldingEntry, outdated: EntriesWanted['outdated']): boolean {
  return sources.every((id) => {
    const source = outdated.get(id)
    if (source === undefined) return false
    if (source.sentences === null) return true
    const ofSpeaker = stemsOf(speaker).counts
    const own = [...stemsOf(text).counts.keys()].filter((stem) => !ofSpeaker.has(stem))
    const mostIn = (sentences: readonly string[]) => Math.max(0, ...sentences.map((each) => sharedWith(own, each)))
    return mostIn(sentencesWithout(source.text, source.sentences)) <= mostIn(source.sentences)
  })
}

function sharedWith(stems: readonly string[], sentence: string): number {
  const { counts } = stemsOf(sentence)
  return stems.filter((stem) => counts.has(stem)).length
}

async function about(
  { query, vectors }: Pick<CandidateSearch, 'query' | 'vectors'>,
  { space, scope }: Pick<EntriesWanted, 'space' | 'scope'>,
  { views }: RecallOptions,
): Promise<readonly HoldingEntry[]> {
  // A row has one vector, so entries are compared with the question alone.
  const where = or<EntryRow>(and<EntryRow>(conditionOf(scope), isNull('replacedBy')), stillHolding(scope))
  const bounds = { space, where, limit: maxHits }
  const search = { ...bounds, query, vectors: vectors.slice(0, 1) }
  const { rows: found, wordShares, cosines } = await searchTable(entryTable, search, views)
  const rows = await holdingAt(momentOf(scope.asOf), [...found.values()], views)
  const asked = stemsOf(query).counts
  const scored = rows
    .filter(({ statement }) => [...stemsOf(statement).counts.keys()].some((stem) => asked.has(stem)))
    .map((row) => entryOf(row, (wordShares.get(row.id) ?? 0) + (cosines[0]?.get(row.id) ?? 0)))
    .toSorted((a, b) => b.score - a.score)
  const least = leastShare * (scored[0]?.score ?? 0)
  return scored.filter(({ score }) => score >= least)
}

async function newest(space: string, scope: Scope, { views }: RecallOptions): Promise<readonly HoldingEntry[]> {
  const where = and<EntryRow>(or<EntryRow>(conditionOf(scope), stillHolding(scope)), ofProfiles)
  const rows = await views.scan(entryTable, { space, where, orderBy: newestFirst, limit: maxHits })
  const holding = await holdingAt(momentOf(scope.asOf), rows, views)
  return holding.map((row, at) => entryOf(row, 1 / (1 + at)))
}

/** Entries that only a statement dated later may have replaced. */
function stillHolding(scope: Scope): Condition<EntryRow> {
  return and<EntryRow>(endedCondition(scope), endingAfter(momentOf(scope.asOf)))
}

const newestFirst = [
  { by: 'validFrom', direction: 'descending' },
  { by: 'knownFrom', direction: 'descending' },
] as const

function entryOf(row: EntryRow, score: number): HoldingEntry {
  const memory = memoryOf(row.kind === 'profile' ? 'profile' : 'document', row)
  return { ...memory, text: row.statement, score, row }
}
