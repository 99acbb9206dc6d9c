/** Utterances, pauses and the harness for topic-loom's tests, with defaults for all fields that a test does not name. */
import { type HarnessOptions, harness } from '@loomlog/runtime/harness'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { BoxSealed, ConversationPaused, DerivedEvent, UtteranceAppended } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import { topicLoom } from './processor.ts'
import type { Parameters } from './step.ts'
import type { BoxText, ShiftInput, ShiftLabel } from './task-types.ts'

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
    keyId: null,
    ...place,
    ...own,
    ...more,
  }
}

export function paused(seq: number, after: Utterance): SequencedEvent<ConversationPaused> {
  const { tenant, space, conversation, at, appendedAt } = after
  const own = { id: `p${seq}`, seq, afterUtterance: after.id, at, appendedAt }
  return { type: 'ConversationPaused', tenant, space, conversation, ...own }
}

/** The last word of a text is its label: `… partial`, `… discontinuous`, `… none`; any other means continuous. */
export const scripted = {
  'classify-shift': (input: Json) => {
    const label = (input as ShiftInput).next.text.split(' ').at(-1) ?? ''
    if (label === 'none') return { none: 'the model refused' }
    return { label: (['partial', 'discontinuous'].includes(label) ? label : 'continuous') as ShiftLabel }
  },
  'describe-box': (input: Json) => ({ topic: `${(input as BoxText).lines.length} lines`, keywords: ['boat'] }),
}

export function loom(options: HarnessOptions<Parameters> = {}) {
  return harness(topicLoom, { answers: scripted, ...options })
}

/** The boxes, each as cut and utterances: `shift: u0 u1`. */
export function shown(events: readonly DerivedEvent[]): string[] {
  return boxes(events).map((box) => `${box.cut}: ${box.utterances.map((utterance) => utterance.id).join(' ')}`)
}

export function boxes(events: readonly DerivedEvent[]): BoxSealed[] {
  return events.filter((event) => event.type === 'BoxSealed')
}

export function lastWindow({ asked }: ReturnType<typeof loom>): ShiftInput['window'] {
  const ask = asked.findLast(({ task }) => task === 'classify-shift')
  return ask ? (ask.input as ShiftInput).window : []
}

export async function boxesOf(events: readonly Incoming[], parameters: Partial<Parameters> = {}): Promise<string[]> {
  return shown(await loom({ parameters }).give(...events))
}
