/**
 * Topic Loom (Membox): groups a conversation's consecutive utterances on one topic into boxes. A box ends at a topic shift, at a
 * gap in time, when it is full, or when the conversation pauses. The next utterance opens a new box.
 *
 * Every admitted utterance is in exactly one box, in the order of the conversation, unless it is undone before its box is sealed.
 */

import { approximateTokens } from '@loomlog/language/tokens'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import { ask, type Effects, get, put, type Step } from '@loomlog/runtime/step'
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
import { derivedId } from '@loomlog/schemas/ids'
import { boxOf, type OpenBox, openBox, shown } from './state.ts'
import type { Line } from './task-types.ts'
import { classifyShift, describeBox, line } from './tasks.ts'
import { undo } from './undo.ts'

export type Parameters = {
  /** A silence longer than this ends the box, regardless of the next utterance. */
  readonly gapMs: number
  readonly maxUtterances: number
  readonly maxTokens: number
  /** A partial shift ends only a box that holds at least this many utterances. */
  readonly minUtterancesOnPartial: number
  /** By rules: the lowest score of a shift, and of a partial shift. */
  readonly shiftScore: number
  readonly partialScore: number
}

export type Input = UtteranceAppended | ConversationPaused | EvidenceRetracted

export function* step(
  event: SequencedEvent<Input>,
  parameters: Parameters,
  derivation: string,
): Step<Draft<BoxSealed> | Draft<LinesRetracted>> {
  if (event.type === 'EvidenceRetracted') return yield* undo(event, derivation, tokensOf)
  const open = yield* get(openBox, '')
  if (event.type === 'ConversationPaused') return yield* pause(open, event)
  const next = boxUtterance(event)
  if (open === null) return yield* start(next, { before: null, completions: [] })
  const hard = hardCut(open, next, parameters)
  if (hard !== null) return yield* sealAndStart(open, next, { cut: hard, completions: [] }, event)
  const shift = yield* ask(classifyShift, { window: windowOf(open), next: line(next) })
  // Without an answer the box continues, and the utterance is parked with the reason.
  const label = shift.kind === 'answer' ? shift.value.label : 'continuous'
  const cut =
    label === 'discontinuous' || (label === 'partial' && open.utterances.length >= parameters.minUtterancesOnPartial)
  if (!cut) return yield* extend(open, next, shift.completions)
  return yield* sealAndStart(open, next, { cut: 'shift', completions: shift.completions }, event)
}

function* pause(open: OpenBox | null, event: ConversationPaused): Step<Draft<BoxSealed>> {
  // An utterance followed after the writer looked: no pause.
  if (open === null || open.utterances.at(-1)?.id !== event.afterUtterance) return []
  yield* put(openBox, '', null)
  return [yield* seal(open, 'pause', event)]
}

/** The cuts that need no ask. A jump backwards in time by `gapMs` is a gap too. */
function hardCut(open: OpenBox, next: BoxUtterance, parameters: Parameters): Cut | null {
  const last = open.utterances.at(-1)
  if (last && Math.abs(next.at - last.at) > parameters.gapMs) return 'gap'
  if (open.utterances.length >= parameters.maxUtterances) return 'size'
  if (open.tokens + tokensOf(next) > parameters.maxTokens) return 'tokens'
  return null
}

/** The conversation's last two lines, regardless of their boxes, so that an ask never depends on an earlier answer. */
function windowOf(open: OpenBox): readonly Line[] {
  const lines = open.utterances.map(line)
  if (open.before === null) return lines.slice(-2)
  const { speaker, text } = open.before
  return [{ speaker, text }, ...lines].slice(-2)
}

function* start(next: BoxUtterance, rest: Pick<OpenBox, 'before' | 'completions'>): Step<Draft<BoxSealed>> {
  yield* put(openBox, '', { utterances: [next], tokens: tokensOf(next), ...rest })
  return []
}

function* extend(open: OpenBox, next: BoxUtterance, completions: readonly string[]): Step<Draft<BoxSealed>> {
  yield* put(openBox, '', {
    ...open,
    utterances: [...open.utterances, next],
    tokens: open.tokens + tokensOf(next),
    completions: [...open.completions, ...completions],
  })
  return []
}

/** Both boxes cite the answer that found the shift: it ended one and opened the other. */
function* sealAndStart(
  open: OpenBox,
  next: BoxUtterance,
  { cut, completions }: { readonly cut: Cut; readonly completions: readonly string[] },
  event: UtteranceAppended,
): Step<Draft<BoxSealed>> {
  const last = open.utterances.at(-1)
  // A gap empties the window, like a pause: after a long silence the earlier lines say nothing about a shift.
  yield* start(next, { before: last && cut !== 'gap' ? { id: last.id, ...line(last) } : null, completions })
  return [yield* seal({ ...open, completions: [...open.completions, ...completions] }, cut, event)]
}

/** @param event ends the box; the box's id is derived from it, and no other id is */
function* seal(
  open: OpenBox,
  cut: Cut,
  { id, conversation }: Pick<Input, 'id' | 'conversation'>,
): Effects<Draft<BoxSealed>> {
  const { utterances } = open
  const box = derivedId('topic-loom', id, 0)
  for (const utterance of utterances) yield* put(boxOf, utterance.id, box)
  yield* put(
    shown,
    box,
    utterances.map((utterance) => utterance.id),
  )
  const lines = utterances.map((utterance, index) => ({ label: `u${index + 1}`, ...line(utterance) }))
  const described = yield* ask(describeBox, { lines })
  const times = utterances.map((utterance) => utterance.at)
  return {
    type: 'BoxSealed',
    conversation,
    utterances,
    cut,
    topic: described.value?.topic ?? '',
    keywords: described.value?.keywords ?? [],
    startedAt: Math.min(...times),
    endedAt: Math.max(...times),
    origin: {
      causes: utterances.map((utterance) => utterance.id),
      completions: [...new Set([...open.completions, ...described.completions])],
      method: described.by,
    },
  }
}

function boxUtterance(event: SequencedEvent<UtteranceAppended>): BoxUtterance {
  const { id, seq, speaker, role, at, text, attachments } = event
  return { id, seq, speaker, role, at, text, attachments }
}

/** White space and URIs are no tokens but fill a record too: 16 characters of any kind count as one token at least. */
function tokensOf(utterance: BoxUtterance): number {
  const { text } = line(utterance)
  const addresses = utterance.attachments.map((attachment) => attachment.uri ?? '').join('')
  return Math.max(approximateTokens(text), Math.ceil((text.length + addresses.length) / 16))
}
