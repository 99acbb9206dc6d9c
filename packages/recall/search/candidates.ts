/**
 * The candidates for a question: the utterances that may answer it, with the scores of every search that led to them. They are found by
 * words and by meaning, through the facts derived from them, and as neighbours of the best hits, because the answer is often
 * one turn away from the words. Candidates are in the order of conversation and time, so that neighbours are adjacent. Facts
 * whose utterances are not among the candidates, such as the fact that a correction states, come last, each by itself.
 */
import type { Role } from '@loomlog/schemas/events'
import type { Row } from '@loomlog/views/row'
import { type FactRow, facts as factTable, isEvent } from '@loomlog/views/tables/facts'
import { type UtteranceRow, utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { byTime, type Memory, memoryOf } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import type { CandidateSearch } from './candidate-search.ts'
import { bestByUtterance } from './cited-utterances.ts'
import { currentAnswers } from './current-answers.ts'
import { memoryOfTail, type TailUtterance } from './log-tail.ts'
import { byIds, neighbours } from './neighbours.ts'
import { findReplacements, type Replacements } from './replacements.ts'
import { type Retractions, retractionsIn } from './retractions.ts'
import { searchTable, type TableHits } from './search-table.ts'
import { matchingTail, tailCosinesOf } from './tail-candidates.ts'
import { type Wording, wordingOf } from './wording.ts'

/** A memory apart from any question. */
interface Spoken extends Wording {
  readonly memory: Memory
  /** Of its speaker; null: of a derived memory. */
  readonly role: Role | null
}

export interface Candidate extends Spoken {
  /** By vector of the search. A candidate that no vector search found gets the lowest cosine among those found. */
  readonly cosines: readonly number[]
  /** The best among the facts that cite it. */
  readonly factCosine: number
  /** The best among the events that cite it: facts that happened or are planned. */
  readonly eventCosine: number
}

export interface CandidatePool {
  readonly candidates: readonly Candidate[]
  readonly replacements: Replacements
  /** Utterances that state what the question asks for, as it holds now. */
  readonly answers: ReadonlySet<string>
  readonly retractions: Retractions
  /** Records of the log tail that were not searched. */
  readonly unsearched: number
}

const limits = { utterances: 300, facts: 120 }
/** Best utterances whose neighbours are read. */
const maxCentres = 40
/** Utterances that only a fact led to. */
const maxCited = 300
/** Newest utterances of the log tail that are embedded for the question: no view has their vectors yet. */
const maxTailEmbedded = 16

export async function findCandidates(search: CandidateSearch, options: RecallOptions): Promise<CandidatePool> {
  // The tail is read before the views: an utterance that moves into a view meanwhile is then found twice, not never.
  const { utterances: tail, unsearched } = await matchingTail(search, options)
  const [utterances, factHits] = await Promise.all([
    searchTable(utteranceTable, { ...search, limit: limits.utterances }, options.views),
    searchTable(factTable, { ...search, limit: limits.facts }, options.views),
  ])
  const [replacements, answers, retractions] = await Promise.all([
    findReplacements(factHits, search, options),
    currentAnswers(factHits, search, options),
    retractionsIn(search, options),
  ])
  const replacing = [...replacements.values()].flat()
  // A correction may be far from the question while the fact that it corrects is near.
  const missing = replacing.filter((id) => !factHits.rows.has(id))
  const corrected = await byIds(factTable, missing, search, options)
  const facts = { ...factHits, rows: new Map([...factHits.rows, ...corrected.map((row) => [row.id, row] as const)]) }

  const cited = citedOnly({ utterances, facts }, replacing)
  const factShares = bestByUtterance(facts.rows, facts.wordShares)
  const promise = ({ id }: Row) =>
    (utterances.wordShares.get(id) ?? 0) + (utterances.cosines[0]?.get(id) ?? 0) + (factShares.get(id) ?? 0)
  const promising = [...utterances.rows.values()].map((row) => ({ row, promise: promise(row) }))
  promising.sort((a, b) => b.promise - a.promise)
  const centres = promising.slice(0, maxCentres).map(({ row }) => row)
  const read = await Promise.all([byIds(utteranceTable, cited, search, options), neighbours(centres, search, options)])
  const rows = new Map(utterances.rows)
  for (const row of read.flat()) rows.set(row.id, row)

  const lowest = utterances.cosines.map((cosines) => Math.min(...cosines.values(), 1))
  const factCosines = bestByUtterance(facts.rows, facts.cosines[0])
  const events = new Map([...facts.rows].filter(([, row]) => isEvent(row)))
  const eventCosines = bestByUtterance(events, facts.cosines[0])
  const inTail = tail.filter(({ event }) => !rows.has(event.id)).map(spokenInTail)
  const newest = inTail.slice(-maxTailEmbedded).map(({ memory }) => memory)
  const tailCosines = await tailCosinesOf(newest, search, options)
  const spoken = [...Array.from(rows.values(), spokenInView), ...inTail].sort(byConversationAndTime)
  const candidates = spoken.map(({ memory, role, words, stems, cues }): Candidate => {
    const { id } = memory
    const inTail = tailCosines.get(id)
    return {
      memory,
      role,
      words,
      stems,
      cues,
      cosines: utterances.cosines.map((cosines, at) => cosines.get(id) ?? inTail?.[at] ?? lowest[at] ?? 0),
      // No fact is derived from the tail yet: its utterances count as their own.
      factCosine: inTail?.[0] ?? factCosines.get(id) ?? 0,
      eventCosine: inTail?.[0] ?? eventCosines.get(id) ?? 0,
    }
  })
  const notInView = new Set(inTail.map(({ memory }) => memory.id))
  const absent = new Set(cited.filter((id) => !rows.has(id) && !notInView.has(id)))
  const alone = withoutUtterances(facts, absent, lowest)
  return { candidates: [...candidates, ...alone], replacements, answers, retractions, unsearched }
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
 * Facts none of whose utterances is a candidate: they are candidates themselves, scored by the same features. Found by meaning
 * alone, only the fact of a correction counts: it may share no word with the question or with the fact that it corrects.
 */
function withoutUtterances(
  { rows, wordShares, cosines }: TableHits<FactRow>,
  absent: ReadonlySet<string>,
  lowest: readonly number[],
): readonly Candidate[] {
  return [...rows.values()]
    .filter((row) => wordShares.has(row.id) || row.correction !== null)
    .filter((row) => row.sources.every((id) => absent.has(id)))
    .map((row) => {
      const memory = memoryOf('fact', row)
      const own = lowest.map((least, at) => (cosines[at] ?? cosines[0])?.get(row.id) ?? least)
      const [cosine = 0] = own
      return {
        memory,
        role: null,
        ...wordingOf(memory),
        cosines: own,
        factCosine: cosine,
        eventCosine: isEvent(row) ? cosine : 0,
      }
    })
}

/** By row: a reader keeps the rows of a space that is recalled again and again. */
const known = new WeakMap<UtteranceRow, Spoken>()

function spokenInView(row: UtteranceRow): Spoken {
  const before = known.get(row)
  if (before !== undefined) return before
  const memory = memoryOf('utterance', row)
  const spoken = { memory, role: row.role as Role, ...wordingOf(memory) }
  known.set(row, spoken)
  return spoken
}

function spokenInTail(utterance: TailUtterance): Spoken {
  const memory = memoryOfTail(utterance)
  return { memory, role: utterance.event.role, ...wordingOf(memory) }
}

function byConversationAndTime({ memory: a }: Spoken, { memory: b }: Spoken): number {
  if (a.conversation !== b.conversation) return a.conversation < b.conversation ? -1 : 1
  return byTime(a, b)
}
