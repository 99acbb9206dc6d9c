/**
 * The candidates for a question: the utterances that may answer it, with the scores of every search that led to them.
 * They are found by words and by meaning, through the facts derived from them, and as neighbours of the best hits,
 * because the answer is often one turn away from the words. Candidates are in the order of conversation and time, so
 * that neighbours are adjacent. Facts whose utterances are not among the candidates, such as the fact that a correction
 * states, come last, each by itself.
 */
import type { Role } from '@loomlog/schemas/events'
import type { Row } from '@loomlog/views/row'
import { type FactRow, facts as factTable, isEvent } from '@loomlog/views/tables/facts'
import { type UtteranceRow, utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { eachCandidate } from '../each-candidate.ts'
import { byTime, type Memory, memoryOf, memoryOfUtterance } from '../memory.ts'
import { highestOf } from '../ranking/ranks.ts'
import type { RecallOptions } from '../recall-options.ts'
import { momentOf } from '../request/filter.ts'
import type { CandidateSearch } from './candidate-search.ts'
import { bestByUtterance } from './cited-utterances.ts'
import { currentAnswers } from './current-answers.ts'
import { memoryOfTail, type TailUtterance } from './log-tail.ts'
import { byIds, neighbours } from './neighbours.ts'
import { findReplacements, type Replacements } from './replacements.ts'
import { type Retractions, retractionsOf } from './retractions.ts'
import { searchTable, type TableHits } from './search-table.ts'
import { nameOfTail, tailCandidates, tailCosinesOf } from './tail-candidates.ts'
import { type Wording, wordingOf } from './wording.ts'

/** A memory with its words, the same for every question. */
interface Spoken extends Wording {
  readonly memory: Memory
  /** The role of its speaker; null for a derived memory. */
  readonly role: Role | null
}

export interface Candidate extends Spoken {
  /** By vector of the search. A candidate without a cosine gets the lowest one of the others. */
  readonly cosines: readonly number[]
  /** The highest cosine of the facts that cite it. */
  readonly factCosine: number
  /** The highest cosine of the events that cite it. Events are facts that happened or are planned. */
  readonly eventCosine: number
}

export interface CandidatePool {
  readonly candidates: readonly Candidate[]
  readonly replacements: Replacements
  /** Utterances that state the current answer. */
  readonly answers: ReadonlySet<string>
  readonly retractions: Retractions
  /** Records of the log tail that were not searched. */
  readonly unsearched: number
  /** The moment of the request. */
  readonly moment: number
}

const limits = { utterances: 300, facts: 120 }
/** Best utterances whose neighbours are read. */
const maxCentres = 40
/** Utterances that only a fact or a replacement cites. */
const maxCited = 300

export async function findCandidates(search: CandidateSearch, options: RecallOptions): Promise<CandidatePool> {
  // The tail is read before the views: an utterance that moves into a view meanwhile is then found twice, not never.
  const { utterances: tail, compared, unsearched } = await tailCandidates(search, options)
  const [utterances, factHits] = await Promise.all([
    searchTable(utteranceTable, { ...search, limit: limits.utterances }, options.views),
    searchTable(factTable, { ...search, limit: limits.facts }, options.views),
  ])
  const [replacements, answers] = await Promise.all([
    findReplacements(factHits, search, options),
    currentAnswers(factHits, search, options),
  ])
  const replacing = [...replacements.values()].flatMap(({ by }) => by)
  // A correction may be far from the question while the fact that it corrects is near.
  const missing = replacing.filter((id) => !factHits.rows.has(id))
  const corrected = await byIds(factTable, missing, search, options)
  const facts = { ...factHits, rows: new Map([...factHits.rows, ...corrected.map((row) => [row.id, row] as const)]) }

  const cited = citedOnly({ utterances, facts }, replacing)
  const factShares = bestByUtterance(facts.rows, facts.wordShares)
  const hitScore = ({ id }: Row) =>
    (utterances.wordShares.get(id) ?? 0) + (utterances.cosines[0]?.get(id) ?? 0) + (factShares.get(id) ?? 0)
  const found = [...utterances.rows.values()]
  const centres = highestOf(Float64Array.from(found, hitScore), maxCentres).map((at) => found[at] as UtteranceRow)
  const read = await Promise.all([byIds(utteranceTable, cited, search, options), neighbours(centres, search, options)])
  const rows = new Map(utterances.rows)
  for (const row of read.flat()) rows.set(row.id, row)

  const factCosines = bestByUtterance(facts.rows, facts.cosines[0])
  const events = new Map([...facts.rows].filter(([, row]) => isEvent(row)))
  const eventCosines = bestByUtterance(events, facts.cosines[0])
  const inTail = await eachCandidate(
    tail.filter(({ event }) => !rows.has(event.id)),
    spokenInTail,
    { ...options, nameOf: nameOfTail },
  )
  const toCompare = inTail.map(({ memory }) => memory).filter(({ id }) => compared.has(id))
  const tailCosines = await tailCosinesOf(toCompare, search, options)
  const lowest = lowestCosines(utterances.cosines, tailCosines)
  const inViews = await eachCandidate(rows.values(), (row) => spokenInView('utterance', row, row.role as Role), {
    ...options,
    nameOf: ({ id }) => ({ id, space: search.space, kind: 'utterance' }),
  })
  const spoken = inOrder([...inViews, ...inTail])
  const candidates = spoken.map(({ memory, role, words, stems, cues }): Candidate => {
    const { id } = memory
    const tailCosine = tailCosines.get(id)
    return {
      memory,
      role,
      words,
      stems,
      cues,
      cosines: utterances.cosines.map((cosines, at) => cosines.get(id) ?? tailCosine?.[at] ?? lowest[at] ?? 0),
      // No fact is derived from the tail yet, so the utterance's own cosine counts.
      factCosine: tailCosine?.[0] ?? factCosines.get(id) ?? 0,
      eventCosine: tailCosine?.[0] ?? eventCosines.get(id) ?? 0,
    }
  })
  const retractions = await retractionsOf([...rows.keys()], search, options)
  const notInView = new Set(inTail.map(({ memory }) => memory.id))
  const absent = new Set(cited.filter((id) => !rows.has(id) && !notInView.has(id)))
  const alone = await withoutUtterances(facts, absent, { lowest, space: search.space, ...options })
  return {
    candidates: [...candidates, ...alone],
    replacements,
    answers,
    retractions,
    unsearched,
    moment: momentOf(search.scope.asOf),
  }
}

/**
 * By vector of the search, the cosine of a candidate that has none of its own: the lowest of the hits; without hits,
 * the lowest of the tail. A candidate that nothing compared with the question must not be the most similar one.
 */
function lowestCosines(
  hits: readonly ReadonlyMap<string, number>[],
  tail: ReadonlyMap<string, readonly number[]>,
): readonly number[] {
  return hits.map((cosines, at) => {
    const known = cosines.size > 0 ? [...cosines.values()] : [...tail.values()].map((each) => each[at] ?? 0)
    return known.length === 0 ? 0 : Math.min(...known)
  })
}

/** Utterances that no search found, but a replacement, a correction or a fact cites; in this order of precedence. */
function citedOnly(
  { utterances, facts }: { utterances: TableHits; facts: TableHits<FactRow> },
  replacing: readonly string[],
): readonly string[] {
  const corrections = [...facts.rows.values()].filter(({ correction }) => correction !== null)
  const citing = [...corrections, ...facts.rows.values()]
  const cited = new Set([...replacing, ...citing.flatMap(({ sources }) => sources)])
  return [...cited].filter((id) => !utterances.rows.has(id)).slice(0, maxCited)
}

/**
 * Facts without a candidate among their utterances. They are candidates themselves, scored by the same features. A fact
 * that is found by meaning alone counts only if a correction states it: it may share no word with the question.
 */
async function withoutUtterances(
  { rows, wordShares, cosines }: TableHits<FactRow>,
  absent: ReadonlySet<string>,
  { lowest, space, ...options }: RecallOptions & { readonly lowest: readonly number[]; readonly space: string },
): Promise<readonly Candidate[]> {
  const alone = [...rows.values()]
    .filter((row) => wordShares.has(row.id) || row.correction !== null)
    .filter((row) => row.sources.every((id) => absent.has(id)))
  const candidateOf = (row: FactRow): Candidate => {
    const spoken = spokenInView('fact', row, null)
    const own = lowest.map((least, at) => (cosines[at] ?? cosines[0])?.get(row.id) ?? least)
    const [cosine = 0] = own
    return {
      ...spoken,
      cosines: own,
      factCosine: cosine,
      eventCosine: isEvent(row) ? cosine : 0,
    }
  }
  return await eachCandidate(alone, candidateOf, { ...options, nameOf: ({ id }) => ({ id, space, kind: 'fact' }) })
}

/** Cached by row, because a reader keeps the rows of a space between recalls. */
const known = new WeakMap<Row, Spoken>()

function spokenInView(kind: 'utterance' | 'fact', row: Row, role: Role | null): Spoken {
  const before = known.get(row)
  if (before !== undefined) return before
  const memory = kind === 'utterance' ? memoryOfUtterance(row) : memoryOf(kind, row)
  const spoken = { memory, role, ...wordingOf(memory) }
  known.set(row, spoken)
  return spoken
}

function spokenInTail(utterance: TailUtterance): Spoken {
  const memory = memoryOfTail(utterance)
  return { memory, role: utterance.event.role, ...wordingOf(memory) }
}

/** By conversation, and then by time. Names of conversations are long and alike, so each is sorted once. */
function inOrder(spoken: readonly Spoken[]): readonly Spoken[] {
  const conversations = Map.groupBy(spoken, ({ memory }) => memory.conversation)
  const names = [...conversations.keys()].sort()
  return names.flatMap((name) => (conversations.get(name) ?? []).sort((a, b) => byTime(a.memory, b.memory)))
}
