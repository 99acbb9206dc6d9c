/**
 * Entries of profiles and documents that hold now: those that a question is about, or the newest ones of profiles. For
 * a question about the past, those that ended follow the ones that took their place.
 */
import { findTimes } from '@loomlog/language/times'
import { and, type Condition, hasAny, or } from '@loomlog/views/condition'
import { documents as documentTable } from '@loomlog/views/tables/documents'
import { type EntryRow, entries as entryTable, ofDocuments, ofProfiles } from '@loomlog/views/tables/entries'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { memoryOf, type ScoredMemory } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { momentOf, type Scope } from '../request/filter.ts'
import type { CandidateSearch } from '../search/candidate-search.ts'
import { searchTable, type TableHits } from '../search/search-table.ts'
import { sentencesWithout } from '../search/wording.ts'
import { stemsOf } from '../text/stems.ts'
import { answersOf, headingOf, type RatedRow } from './answers.ts'
import { type EntryTimes, entryTimes } from './entry-times.ts'
import { endedBy, holdingIn, isByRules, type StandingRow, standingAt } from './standing-entries.ts'

export interface CurrentEntry extends ScoredMemory {
  readonly row: EntryRow
  /** When it ended; null: it holds, or is to come. */
  readonly endedAt: number | null
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
  readonly question: EntryQuestion | null
  /** Utterances that newer evidence replaced, or that were retracted; by id. */
  readonly outdated: ReadonlyMap<string, OutdatedUtterance>
}

export interface EntryQuestion extends Pick<CandidateSearch, 'query' | 'vectors'> {
  readonly isAboutPast: boolean
  /** By utterance: its score beside that of the best evidence, up to 1. */
  readonly evidence: ReadonlyMap<string, number>
}

type FoundEntry = Omit<CurrentEntry, 'times'>

const maxHits = 60
/** Entries read of the headings and documents of the hits. */
const maxRead = 2_000
const maxDocuments = 20
const maxEntries = 60
/** An entry below this share of the best one's score is about something else. */
const leastShare = 0.5
/**
 * Beside the match of an entry's own words and meaning: that of its best source, of its document's title and summary,
 * and of its document's best entry.
 */
const weights = { evidence: 0.35, document: 0.5, bestOfDocument: 0.1 }
/** The best evidence, whose entries are rated too. */
const maxEvidence = 20

/** Best first. */
export async function currentEntries(
  { space, scope, question, outdated }: EntriesWanted,
  options: RecallOptions,
): Promise<readonly CurrentEntry[]> {
  const found =
    question === null ? await newest(space, scope, options) : await about(question, { space, scope }, options)
  const distinct = [...new Map(found.toReversed().map((entry) => [entry.text, entry])).values()].toReversed()
  const standing = distinct
    .filter((entry) => isPlanned(entry) || !isMadeFromOutdated(entry, outdated))
    .slice(0, maxEntries)
  const successors = await successorsOf(standing, space, options)
  const cited = new Set([...standing, ...successors.values()].flatMap(({ sources }) => sources))
  const rows = await options.views.byIds(utteranceTable, space, [...cited])
  const supporting = new Set(rows.filter((row) => row.knownTo === null || row.correction !== null).map(({ id }) => id))
  const byId = new Map(rows.map((each) => [each.id, each]))
  const citedBy = (entry: EntryRow | undefined) => entry?.sources.flatMap((id) => byId.get(id) ?? []) ?? []
  return standing
    .filter(({ sources }) => sources.some((id) => supporting.has(id)))
    .map((entry) => {
      const { row } = entry
      const successor = successors.get(row.replacedBy ?? '')
      const cited = { entry: citedBy(row), successor: citedBy(successor) }
      return { ...entry, times: entryTimes({ row, successor, cited }, momentOf(scope.asOf)) }
    })
}

async function successorsOf(
  standing: readonly FoundEntry[],
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
function isMadeFromOutdated({ text, speaker, sources }: FoundEntry, outdated: EntriesWanted['outdated']): boolean {
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
  { query, vectors, isAboutPast, evidence }: EntryQuestion,
  { space, scope }: Pick<EntriesWanted, 'space' | 'scope'>,
  { views }: RecallOptions,
): Promise<readonly FoundEntry[]> {
  const moment = momentOf(scope.asOf)
  // A row has one vector, so entries are compared with the question alone.
  const search = { space, query: withoutTimes(query), vectors: vectors.slice(0, 1) }
  const where = or<EntryRow>(holdingIn(scope), ...(isAboutPast ? [endedBy(moment, scope)] : []))
  const bestEvidence = [...evidence.keys()].slice(0, maxEvidence)
  const [hits, described, made] = await Promise.all([
    searchTable(entryTable, { ...search, where, limit: maxHits }, views),
    searchTable(documentTable, { ...search, limit: maxDocuments }, views),
    views.scan(entryTable, { space, where: and<EntryRow>(where, hasAny('sources', bestEvidence)), limit: maxHits }),
  ])
  const ratingOf = ({ wordShares, cosines }: Pick<TableHits, 'wordShares' | 'cosines'>, id: string) =>
    (wordShares.get(id) ?? 0) + (cosines[0]?.get(id) ?? 0)
  const evidenceOf = ({ sources }: EntryRow) => Math.max(0, ...sources.map((id) => evidence.get(id) ?? 0))
  const found = new Map([...hits.rows.values(), ...made].map((row) => [row.id, row]))
  const rows = await withHeadings([...found.values()], { space, where }, views)
  const asked = stemsOf(query).counts
  const isAsked = (row: EntryRow) =>
    !isByRules(row) || [...stemsOf(row.statement).counts.keys()].some((stem) => asked.has(stem))
  const rated = (await standingAt(moment, rows, views))
    .filter(({ row, endedAt }) => isAsked(row) && (isAboutPast || endedAt === null || isDeadline(row)))
    .map((each) => ({ ...each, rating: ratingOf(hits, each.row.id) + weights.evidence * evidenceOf(each.row) }))
  const known = isAboutPast ? rated : withoutOldPlans(rated)
  const answers = answersOf(known, moment)
  const best = new Map<string, number>()
  for (const { document, rating } of answers) best.set(document, Math.max(rating, best.get(document) ?? 0))
  const scored = answers
    .map(({ document, rating, shown }) => {
      if (shown.some(({ row }) => isByRules(row))) return { shown, score: rating }
      const ofDocument = weights.document * ratingOf(described, document)
      return { shown, score: rating + ofDocument + weights.bestOfDocument * (best.get(document) ?? 0) }
    })
    .toSorted((a, b) => b.score - a.score)
  const least = leastShare * (scored[0]?.score ?? 0)
  return scored
    .filter(({ score }) => score >= least)
    .flatMap(({ shown, score }) => shown.map((each) => entryOf(each, score)))
}

/** A plan is the answer after its deadline too, as long as no other entry is. */
function isDeadline({ factKind, replacedBy }: EntryRow): boolean {
  return factKind === 'plan' && replacedBy === null
}

/** Of the plans that are over, only the latest one of a heading without any entry that holds. */
function withoutOldPlans(rated: readonly RatedRow[]): readonly RatedRow[] {
  const standing = new Set(rated.flatMap(({ row, endedAt }) => (endedAt === null ? [headingOf(row)] : [])))
  const over = rated.filter(({ row, endedAt }) => endedAt !== null && !standing.has(headingOf(row)))
  const latest = new Map(
    over.toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0)).map((each) => [headingOf(each.row), each]),
  )
  return rated.filter((each) => each.endedAt === null || latest.get(headingOf(each.row)) === each)
}

/** The time that a question names is that of the answer, and not of the words of an entry. */
function withoutTimes(query: string): string {
  const rest = findTimes(query, 0).reduceRight(
    (text, { index, text: said }) => text.slice(0, index) + text.slice(index + said.length),
    query,
  )
  return rest.trim() === '' ? query : rest
}

/** The hits, and the other entries under their headings. */
async function withHeadings(
  hits: readonly EntryRow[],
  { space, where }: { readonly space: string; readonly where: Condition<EntryRow> },
  views: RecallOptions['views'],
): Promise<readonly EntryRow[]> {
  const documents = [...new Set(hits.filter((row) => !isByRules(row)).map(({ document }) => document))]
  if (documents.length === 0) return hits
  const found = new Set(hits.map(({ id }) => id))
  const headings = new Set(hits.map(headingOf))
  const ofDocument = and<EntryRow>(where, ofDocuments(documents))
  const read = await views.scan(entryTable, { space, where: ofDocument, limit: maxRead })
  const isBeside = (row: EntryRow) =>
    !found.has(row.id) && (found.has(row.replacedBy ?? '') || (headings.has(headingOf(row)) && !row.isOneOfSeveral))
  return [...hits, ...read.filter(isBeside)]
}

async function newest(space: string, scope: Scope, { views }: RecallOptions): Promise<readonly FoundEntry[]> {
  const where = and<EntryRow>(holdingIn(scope), ofProfiles)
  const rows = await views.scan(entryTable, { space, where, orderBy: newestFirst, limit: maxHits })
  const moment = momentOf(scope.asOf)
  const standing = await standingAt(moment, rows, views)
  const holding = standing.filter(({ endedAt }) => endedAt === null)
  const answers = answersOf(
    holding.map((each, at) => ({ ...each, rating: 1 / (1 + at) })),
    moment,
  )
  return answers.flatMap(({ rating, shown }) => shown.map((each) => entryOf(each, rating)))
}

const newestFirst = [
  { by: 'validFrom', direction: 'descending' },
  { by: 'knownFrom', direction: 'descending' },
] as const

function entryOf({ row, endedAt }: StandingRow, score: number): FoundEntry {
  const memory = memoryOf(row.kind === 'profile' ? 'profile' : 'document', row)
  return { ...memory, text: row.statement, score, row, endedAt }
}

function isPlanned({ row }: FoundEntry): boolean {
  return !isByRules(row)
}
