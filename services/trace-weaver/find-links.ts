/**
 * Finds the links of a batch of events, in a cascade. Every event gets candidates with scores: matters of the space,
 * and earlier events of the batch. By rules only candidates of other boxes count, and a threshold decides. With a model
 * the rules decide clear pairs, and one ask covers all others of the batch, and related matters of the same persons.
 */
import { ask, type Effects, isAskedOfModel } from '@loomlog/runtime/step'
import { isoDay } from './days.ts'
import { linkScores, type OpenEvent, type ScoredCandidate, type ScoredEvent } from './link-scores.ts'
import { type Matter, mattersOfPersons } from './related-matters.ts'
import { linksIn } from './rows.ts'
import type { Mention } from './state.ts'
import { type Arrival, emptyStrand, isBoxWaiting, nearness, traceId, withEvent } from './strands.ts'
import type { LinkQuestion, TimedText } from './task-types.ts'
import { verifyLinks } from './tasks.ts'
import { type Candidate, candidates, raritiesOf } from './term-index.ts'
import type { JudgedEvent, JudgedLink } from './weave.ts'

export type LinkParameters = {
  /** The most candidates of an event. */
  readonly maxCandidates: number
  /** With a model: the most further candidates of an event, those of the same persons that are nearest in meaning. */
  readonly maxRelated: number
  /** With a model: the least meaning that such a candidate shares with the event, a cosine. */
  readonly relatedMeaning: number
  readonly maxTracesPerEvent: number
  /** The lowest overlap of a candidate. */
  readonly candidateScore: number
  /** By rules: the lowest score of a link. */
  readonly linkScore: number
  /** With a model: pairs with a score between these are asked about; a higher one is a link, a lower one is none. */
  readonly askAbove: number
  readonly askBelow: number
  /** The share of the cosine of embeddings in a score; the rest is the overlap of rare words. */
  readonly meaningShare: number
}

/**
 * Null: the ask has no answer.
 * @param arrivals in the order of their utterances, regardless of their boxes, so that no boundary changes the question
 */
export function* findLinks(
  arrivals: readonly Arrival[],
  parameters: LinkParameters,
): Effects<readonly JudgedEvent[] | null> {
  const open = yield* withCandidates(arrivals, parameters)
  const scored = yield* linkScores(open, parameters)
  return yield* judge(scored, parameters)
}

function* withCandidates(arrivals: readonly Arrival[], parameters: LinkParameters): Effects<readonly OpenEvent[]> {
  const known = new Map<string, number>()
  yield* raritiesOf(
    arrivals.map(({ mention }) => mention.words),
    known,
  )
  const byModel = yield* isAskedOfModel(verifyLinks)
  const found: OpenEvent[] = []
  const before: Matter[] = []
  for (const arrival of arrivals) {
    const { words } = arrival.mention
    const inBatch = before.map((each): Candidate => ({ ...each, overlap: nearness(words, each.strand, known) }))
    const inSpace = yield* candidates(words, parameters, known)
    // A model is asked about pairs of one box too, so that no boundary changes the question.
    const open = [...inBatch, ...inSpace].filter(({ strand }) => byModel || !isBoxWaiting(arrival, strand))
    const ofPersons = byModel ? yield* mattersOfPersons(arrival, before) : []
    found.push({ arrival, candidates: best(open, parameters), ofPersons })
    before.push(asStrand(arrival))
  }
  return found
}

/** The strand that the event will open, unless it joins another one. */
function asStrand(arrival: Arrival): Matter {
  const strand = { ...withEvent(emptyStrand, arrival), waiting: [arrival.mention] }
  return { id: traceId(arrival.mention.event), strand }
}

function best(all: readonly Candidate[], { candidateScore, maxCandidates }: LinkParameters): readonly Candidate[] {
  return all
    .filter(({ overlap }) => overlap >= candidateScore)
    .sort((a, b) => b.overlap - a.overlap)
    .slice(0, maxCandidates)
}

/** Null: the ask has no answer. */
function* judge(scored: readonly ScoredEvent[], parameters: LinkParameters): Effects<readonly JudgedEvent[] | null> {
  const { askAbove, askBelow, maxTracesPerEvent } = parameters
  const byModel = yield* isAskedOfModel(verifyLinks)
  const isUnclear = ({ score, isRelated }: ScoredCandidate) =>
    !byModel || isRelated || (score > askAbove && score < askBelow)
  const { question, labels } = questionOf(scored, isUnclear)
  const answer = question.events.length === 0 ? null : yield* ask(verifyLinks, question)
  if (answer?.kind === 'none') return null
  const linked = answer === null ? new Map() : linksIn(answer.value)
  return scored.map(({ arrival, candidates }) => {
    const own = linked.get(labels.get(arrival.mention.event) ?? '')
    const links = candidates.flatMap((candidate): readonly JudgedLink[] => {
      const { score, completions } = candidate
      if (!isUnclear(candidate)) return score >= askBelow ? [{ candidate, score, completions, method: 'rules' }] : []
      if (answer === null || !own?.has(labels.get(candidate.id) ?? '')) return []
      const sure = byModel ? (1 + score) / 2 : score
      return [{ candidate, score: sure, completions: [...answer.completions, ...completions], method: answer.by }]
    })
    links.sort((a, b) => b.score - a.score)
    const ofOwnBox = links.filter(({ candidate }) => isBoxWaiting(arrival, candidate.strand))
    const others = links.filter((link) => !ofOwnBox.includes(link))
    return { arrival, links: [...others.slice(0, maxTracesPerEvent), ...ofOwnBox.slice(0, 1)] }
  })
}

/** The last events that stand for a matter in an ask. */
const shownOfMatter = 1

/**
 * The question, and the labels of the events and of the candidates by id. Candidates that no event is asked about are
 * not in it.
 */
function questionOf(scored: readonly ScoredEvent[], isUnclear: (candidate: ScoredCandidate) => boolean) {
  const unclear = scored.map(({ arrival, candidates }) => ({ arrival, candidates: candidates.filter(isUnclear) }))
  const asked = new Map(unclear.flatMap(({ candidates }) => candidates).map((each) => [each.id, each.strand]))
  const shown = unclear.filter(
    ({ arrival, candidates }) => candidates.length > 0 || asked.has(traceId(arrival.mention.event)),
  )
  const labels = new Map<string, string>()
  for (const [index, { arrival }] of shown.entries()) {
    const label = `e${index + 1}`
    labels.set(arrival.mention.event, label).set(traceId(arrival.mention.event), label)
  }
  const matters: { readonly label: string; readonly events: readonly TimedText[] }[] = []
  for (const [id, { recent }] of asked) {
    if (labels.has(id)) continue
    labels.set(id, `m${matters.length + 1}`)
    matters.push({ label: `m${matters.length + 1}`, events: recent.slice(-shownOfMatter).map(timed) })
  }
  const events = shown.map(({ arrival, candidates }) => ({
    ...timed(arrival.mention),
    label: labels.get(arrival.mention.event) ?? '',
    candidates: candidates.map(({ id, score }) => ({ label: labels.get(id) ?? '', score })),
  }))
  const question: LinkQuestion = { events: asked.size === 0 ? [] : events, matters }
  return { question, labels }
}

function timed({ text, when, toldAt }: Mention): TimedText {
  return { text, on: isoDay(when?.from ?? toldAt) }
}
