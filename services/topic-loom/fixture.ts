/**
 * Utterances, pauses and the harness for topic-loom's tests, with defaults for all fields that a test does not name.
 */
import { type HarnessOptions, harness } from '@loomlog/runtime/harness'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { BoxSealed, ConversationPaused, DerivedEvent, UtteranceAppended } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import type { Parameters } from './parameters.ts'
import { topicLoom } from './processor.ts'
import type { UnclearLines } from './task-types.ts'

export type Incoming = SequencedEvent<UtteranceAppended | ConversationPaused>
export type Utterance = SequencedEvent<UtteranceAppended>

export const minuteMs = 60_000
export const first = Date.UTC(2026, 2, 2, 9)
const place = { tenant: 'acme', space: 'team', conversation: 'standup' }

/** The id is `u` and the seq; one utterance a minute; Ana and Ben alternate. */
export function utterance(seq: number, text: string, more: Partial<UtteranceAppended> = {}): Utterance {
  const at = first + seq * minuteMs
  const own = { id: `u${seq}`, seq, text, at, appendedAt: at, speaker: seq % 2 === 0 ? 'Ana' : 'Ben' }
  return {
    type: 'UtteranceAppended',
    role: 'human',
    attachments: [],
    metadata: {},
    isTimeGiven: true,
    canInstruct: true,
    keyId: null,
    principal: null,
    ...place,
    ...own,
    ...more,
  }
}

export function conversationPause(seq: number, after: Utterance): SequencedEvent<ConversationPaused> {
  const { tenant, space, conversation, at, appendedAt } = after
  const own = { id: `p${seq}`, seq, afterUtterance: after.id, at, appendedAt }
  return { type: 'ConversationPaused', tenant, space, conversation, ...own }
}

/** A model that is asked about every line: those that end in `shift` open a box; `none` anywhere makes it refuse. */
const scripted = {
  'find-shifts': (input: Json) => {
    const rows = (input as UnclearLines).text.split('\n').filter((row) => /^\d+ /.test(row))
    if (rows.some((row) => row.endsWith(' none'))) return { none: 'the model refused' }
    const opened = rows
      .filter((row) => row.endsWith(' shift'))
      .map((row) => `${row.split(' ')[0]} a matter; boat, sail`)
    return { new: opened }
  },
}

/** Every line is a block of its own, and asked about. */
const askAlways = { askAbove: 0, askBelow: 1, leastAsked: 1, minBlockUtterances: 1, maxBlockUtterances: 1 }

export function loom({ parameters, ...options }: HarnessOptions<Parameters> = {}) {
  return harness(topicLoom, { answers: scripted, ...options, parameters: { ...askAlways, ...parameters } })
}

/** The boxes, each as cut and utterances: `shift: u0 u1`. */
export function boxSummaries(events: readonly DerivedEvent[]): string[] {
  return boxes(events).map((box) => `${box.cut}: ${box.utterances.map((utterance) => utterance.id).join(' ')}`)
}

export function boxes(events: readonly DerivedEvent[]): BoxSealed[] {
  return events.filter((event) => event.type === 'BoxSealed')
}

/** The texts of the asks about shifts. */
export function excerpts({ asked }: ReturnType<typeof loom>): string[] {
  return asked.filter(({ task }) => task === 'find-shifts').map(({ input }) => (input as UnclearLines).text)
}

/** The boxes of a conversation that ends in a pause. */
export async function boxesOf(events: readonly Incoming[], parameters: Partial<Parameters> = {}): Promise<string[]> {
  return boxSummaries(await loom({ parameters }).give(...events, ...end(events)))
}

/** A pause after the last utterance. */
export function end(events: readonly Incoming[]): readonly Incoming[] {
  const last = events.findLast((event) => event.type === 'UtteranceAppended')
  return last ? [conversationPause(last.seq + 1, last)] : []
}
