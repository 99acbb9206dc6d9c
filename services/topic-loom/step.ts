/**
 * Topic Loom (Membox): groups a conversation's consecutive utterances on one topic into boxes. A box ends at a topic
 * shift, at a gap in time, when it is full, or when the conversation pauses. The next utterance opens a new box.
 *
 * Every admitted utterance is in exactly one box, in the order of the conversation, unless it is undone before its box
 * is sealed. A shift is decided once a few utterances follow it; a gap or a pause decides at once.
 */

import { languageOf } from '@loomlog/language/language'
import { approximateTokens } from '@loomlog/language/tokens'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import { type Effects, get, put, type Step } from '@loomlog/runtime/step'
import type {
  BoxSealed,
  BoxUtterance,
  ConversationPaused,
  Cut,
  Draft,
  EvidenceRetracted,
  LinesRetracted,
  UtteranceAppended,
} from '@loomlog/schemas/events'
import { decideOpenings } from './boundaries.ts'
import { completeBoxes } from './boxes.ts'
import { line } from './lines.ts'
import type { Parameters } from './parameters.ts'
import { linesBefore, withLine } from './readings.ts'
import { seal } from './sealed-box.ts'
import { lastLanguage, type Stretch, stretch } from './state.ts'
import { undo } from './undo.ts'

export type Input = UtteranceAppended | ConversationPaused | EvidenceRetracted

const empty: Stretch = { readings: [], pending: [], last: null }

export function* step(
  event: SequencedEvent<Input>,
  parameters: Parameters,
  derivation: string,
): Step<Draft<BoxSealed> | Draft<LinesRetracted>> {
  switch (event.type) {
    case 'UtteranceAppended':
      return yield* accept(event, parameters)
    case 'ConversationPaused':
      return yield* pause(event, parameters)
    default:
      return yield* undo(event, derivation)
  }
}

function* accept(event: SequencedEvent<UtteranceAppended>, parameters: Parameters): Step<Draft<BoxSealed>> {
  const open = (yield* get(stretch, '')) ?? empty
  const last = open.pending.at(-1)?.utterance
  const next = boxUtterance(event)
  // A jump backwards in time by more than `gapMs` is a gap too.
  const isGap = last !== undefined && Math.abs(next.at - last.at) > parameters.gapMs
  const before = isGap ? yield* sealAll(open, 'gap', { event, parameters }) : []
  const sealed = yield* appendUtterance(isGap ? empty : open, next, { event, parameters, ordinal: before.length })
  return [...before, ...sealed]
}

/** An utterance may have followed before the pause was appended. Then the pause is ignored. */
function* pause(event: SequencedEvent<ConversationPaused>, parameters: Parameters): Step<Draft<BoxSealed>> {
  const open = (yield* get(stretch, '')) ?? empty
  if (open.last !== event.afterUtterance) return []
  yield* put(stretch, '', null)
  return yield* sealAll(open, 'pause', { event, parameters })
}

type Cause = {
  readonly event: Pick<Input, 'id' | 'conversation'>
  readonly parameters: Parameters
}

/** Decides every waiting utterance with the lines at hand, and seals all boxes. */
function* sealAll(open: Stretch, cut: Cut, { event, parameters }: Cause): Effects<readonly Draft<BoxSealed>[]> {
  const whole = yield* decideOpenings(open, parameters, 'ended')
  const { boxes, rest } = completeBoxes(whole.pending, parameters)
  const drafts: Draft<BoxSealed>[] = []
  for (const box of [...boxes, ...(rest.length > 0 ? [{ pending: rest, cut }] : [])])
    drafts.push(yield* seal(box, whole, { event, ordinal: drafts.length }))
  return drafts
}

/** Appends an utterance, and seals the boxes whose ends are decided now. */
function* appendUtterance(
  open: Stretch,
  utterance: BoxUtterance,
  { event, parameters, ordinal }: Cause & { readonly ordinal: number },
): Effects<readonly Draft<BoxSealed>[]> {
  const language = yield* languageIn(utterance)
  const readings = yield* withLine(open.readings, { id: utterance.id, line: line(utterance), language })
  const isFirst = open.pending.length === 0
  const opening = isFirst ? { opens: true, label: null, by: 'rules', completions: [] } : null
  const own = { utterance, tokens: tokensOf(utterance), raw: null, score: isFirst ? 1 : null, opening }
  const pending = [...open.pending, own]
  const waiting = pending.reduce((sum, { tokens }) => sum + tokens, 0)
  const now = yield* decideOpenings(
    { readings, pending, last: utterance.id },
    parameters,
    waiting > parameters.maxWaitingTokens ? 'full' : 'open',
  )
  const { boxes, rest } = completeBoxes(now.pending, parameters)
  const drafts: Draft<BoxSealed>[] = []
  for (const box of boxes) drafts.push(yield* seal(box, now, { event, ordinal: ordinal + drafts.length }))
  yield* put(stretch, '', { ...now, readings: now.readings.slice(-(rest.length + linesBefore)), pending: rest })
  return drafts
}

/** The language of the utterance; of a short or doubtful one, that of its conversation. */
function* languageIn({ text }: BoxUtterance): Effects<string | null> {
  const before = yield* get(lastLanguage, '')
  const language = languageOf(text, before)
  if (language !== before) yield* put(lastLanguage, '', language)
  return language
}

function boxUtterance(event: SequencedEvent<UtteranceAppended>): BoxUtterance {
  const { id, seq, speaker, role, at, text, attachments } = event
  return { id, seq, speaker, role, at, text, attachments }
}

/** White space and URIs have no tokens, but fill a record too: 16 characters count as one token at least. */
function tokensOf(utterance: BoxUtterance): number {
  const { text } = line(utterance)
  const addresses = utterance.attachments.map((attachment) => attachment.uri ?? '').join('')
  return Math.max(approximateTokens(text), Math.ceil((text.length + addresses.length) / 16))
}
