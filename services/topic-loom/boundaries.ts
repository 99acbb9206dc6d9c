/**
 * Boundaries: a cascade. Every gap gets a calibrated score once the lines after it are known. By rules a threshold
 * decides at once. With a model the rules decide clear gaps, and the model is asked about the unclear ones of a block
 * in one ask, which also labels their boxes.
 *
 * An ask depends on content alone: neither scores nor the ends of blocks depend on earlier answers. A block ends by the
 * hash of its last line, between a least and a greatest size, so soon after a change blocks end at the same places
 * again.
 */
import { isReadByRules } from '@loomlog/language/language'
import { digestOf, isCut } from '@loomlog/runtime/content-cut'
import { ask, type Effects, get, isAskedOfModel, put } from '@loomlog/runtime/step'
import { openingsIn } from './answer-rows.ts'
import { excerpt } from './excerpt.ts'
import type { Parameters } from './parameters.ts'
import { linesFrom } from './readings.ts'
import { afterSilence, noStatistics, rawFeatures, rawScore, scoreFeatures, shiftScore } from './shift-score.ts'
import { gapStatistics, type OpeningDecision, type PendingUtterance, type Stretch } from './state.ts'
import type { Label } from './task-types.ts'
import { findShifts } from './tasks.ts'

/** `ended`: the stretch has no further utterance. `full`: its pending utterances exceed `maxWaitingTokens`. */
type Reach = 'open' | 'full' | 'ended'

export function* decideOpenings(open: Stretch, parameters: Parameters, reach: Reach): Effects<Stretch> {
  const scored = yield* withScores(open, reach)
  const from = scored.pending.findIndex(({ opening }) => opening === null)
  const to = scored.pending.findLastIndex(({ score }) => score !== null) + 1
  if (from < 0 || to <= from) return scored
  if (!(yield* isAskedOfModel(findShifts))) return withOpenings(scored, byRules(scored, { from, to }, parameters))
  if (reach === 'open' && !isBlock(scored.pending.slice(from, to), parameters)) return scored
  return withOpenings(scored, yield* cascade(scored, { from, to }, parameters))
}

/** Scores the gaps whose following lines are known. */
function* withScores(open: Stretch, reach: Reach): Effects<Stretch> {
  const { readings } = open
  const offset = readings.length - open.pending.length
  const pending = [...open.pending]
  let now = (yield* get(gapStatistics, '')) ?? noStatistics
  const follows = (at: number, lines: number) => reach !== 'open' || offset + at + lines <= readings.length
  for (const [at, each] of pending.entries()) {
    if (each.score !== null || each.raw !== null || !follows(at, linesFrom - 1)) continue
    const { features, statistics: counted } = rawFeatures(readings, offset + at, now)
    pending[at] = { ...each, raw: rawScore(features) }
    now = counted
  }
  for (const [at, each] of pending.entries()) {
    if (each.score !== null || each.raw === null || !follows(at, linesFrom)) continue
    const { features, statistics: counted } = scoreFeatures(each.raw, pending[at + 1]?.raw ?? null, now)
    pending[at] = { ...each, score: shiftScore(features) }
    now = counted
  }
  yield* put(gapStatistics, '', reach === 'ended' ? afterSilence(now) : now)
  return { ...open, pending }
}

/** Scores of lines in languages that the rules don't read are lower, since no cue of their words is known. */
const otherLanguages = { shiftScore: 0.1, askAbove: 0.05 }

/** The thresholds for a waiting utterance. */
function thresholds({ readings, pending }: Stretch, at: number, parameters: Parameters) {
  const language = readings[readings.length - pending.length + at]?.language ?? null
  return isReadByRules(language) ? parameters : { ...parameters, ...otherLanguages }
}

type Span = { readonly from: number; readonly to: number }

function byRules(open: Stretch, { from, to }: Span, parameters: Parameters): readonly OpeningDecision[] {
  return open.pending.slice(from, to).map(({ score }, at) => {
    const { shiftScore: least } = thresholds(open, from + at, parameters)
    return { opens: (score ?? 0) >= least, label: null, by: 'rules', completions: [] }
  })
}

/** The stretch with decisions for its first undecided utterances. */
function withOpenings(scored: Stretch, openings: readonly OpeningDecision[]): Stretch {
  const from = scored.pending.findIndex(({ opening }) => opening === null)
  const pending = scored.pending.map((each, at) => ({ ...each, opening: openings[at - from] ?? each.opening }))
  return { ...scored, pending }
}

/** Of the lines after which a block is long enough, one in this many ends it. */
const linesPerCut = 8

function isBlock(block: readonly PendingUtterance[], { minBlockUtterances, maxBlockUtterances }: Parameters): boolean {
  if (block.length >= maxBlockUtterances) return true
  if (block.length < minBlockUtterances) return false
  return isCut(digestOf(block.at(-1)?.utterance.text ?? ''), linesPerCut)
}

function* cascade(open: Stretch, { from, to }: Span, parameters: Parameters): Effects<readonly OpeningDecision[]> {
  const { readings, pending } = open
  const rules = byRules(open, { from, to }, parameters)
  const unclear = pending.slice(from, to).flatMap(({ score }, at) => {
    const { askAbove, askBelow } = thresholds(open, from + at, parameters)
    return score !== null && score > askAbove && score < askBelow ? [from + at] : []
  })
  if (unclear.length < parameters.leastAsked) return rules
  // The lines before the block may be in sealed boxes, by earlier answers, and are shown all the same.
  const offset = readings.length - pending.length
  const shown = excerpt(
    readings,
    unclear.map((at) => offset + at),
  )
  const numberOf = (at: number) => shown.numbers.get(offset + at) ?? 0
  const opens = unclear.filter((at) => rules[at - from]?.opens).map(numberOf)
  const answer = yield* ask(findShifts, { text: shown.text, opens })
  const opened = answer.kind === 'answer' ? openingsIn(answer.value, shown.numbers.size) : null
  return rules.map((rule, index) => {
    const at = from + index
    const row = opened?.get(numberOf(at)) ?? null
    if (unclear.includes(at))
      return opened === null ? { ...rule, completions: answer.completions } : byModel(row, answer)
    // A clear line stays as the rules decided it, unless the model saw the line before it and names it all the same.
    return row === null || shown.firsts.has(offset + at) ? rule : byModel(row, answer)
  })
}

/** @param row the model's row about the line; null: it named others only */
function byModel(row: Label | null, { by, completions }: Pick<OpeningDecision, 'by' | 'completions'>): OpeningDecision {
  return { opens: row !== null, label: row === null || row.topic === '' ? null : row, by, completions }
}
