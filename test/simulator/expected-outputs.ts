/**
 * The expected outputs of a log of source events, by a plain loop over its records in order: no lanes, leases, state or
 * commits.
 */
import type { LogRecord } from '@loomlog/log/port'
import { admit } from '@loomlog/schemas/admission'
import type { Codec } from '@loomlog/schemas/codec'
import type { SourceEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { boxes, secondFact } from './processors.ts'
import { unanswerable } from './source-events.ts'

export interface Outputs {
  /** By space: the topic of each box, in order. */
  readonly boxes: ReadonlyMap<string, readonly string[]>
  readonly facts: ReadonlyMap<string, readonly string[]>
  /** By space: log time of its last forgetting. */
  readonly since: ReadonlyMap<string, number>
  /** `input code`, each once. */
  readonly parked: ReadonlySet<string>
}

interface Space {
  /** Log time of its last forgetting; 0: there was none. */
  readonly since: number
  readonly seen: Map<string, string>
  readonly unanswered: Map<string, UtteranceAppended>
  readonly counts: Map<string, number>
  readonly boxes: string[]
}

const handled = [...boxes.handles, 'RetryRequested', ...boxes.writes.records]

export async function expectedOutputs(records: readonly LogRecord[], codec: Codec): Promise<Outputs> {
  const spaces = new Map<string, Space>()
  const parked = new Set<string>()
  for (const { key, value } of records) {
    const event = (await codec.decode(value)) as SourceEvent
    const space: Space = spaces.get(event.space) ?? newSpace()
    spaces.set(event.space, space)
    if (event.type === 'SubjectForgotten') {
      spaces.set(event.space, { ...newSpace(), since: event.appendedAt })
      continue
    }
    const admission = admit(event, key, handled, space.seen.get(event.id) ?? null)
    if (admission.outcome === 'duplicate') continue
    if (admission.outcome !== 'admitted') {
      parked.add(`${event.id} ${admission.outcome}`)
      continue
    }
    space.seen.set(event.id, admission.content)
    const input = event.type === 'RetryRequested' ? space.unanswered.get(event.input) : event
    if (input?.type === 'UtteranceAppended') box(space, input, parked)
  }
  const facts = [...spaces].map(([name, { boxes: topics }]) => [name, topics.flatMap(factsOf)] as const)
  return {
    boxes: new Map([...spaces].map(([name, space]) => [name, space.boxes])),
    facts: new Map(facts),
    since: new Map([...spaces].map(([name, { since }]) => [name, since])),
    parked,
  }
}

function newSpace(): Space {
  return { since: 0, seen: new Map(), unanswered: new Map(), counts: new Map(), boxes: [] }
}

function box(space: Space, { id, conversation, text, ...rest }: UtteranceAppended, parked: Set<string>): void {
  const count = space.counts.get(conversation) ?? 0
  space.counts.set(conversation, count + 1)
  const isUnanswerable = text.startsWith(unanswerable)
  space.boxes.push(`${conversation}#${count}: ${isUnanswerable ? 'none' : text}`)
  if (!isUnanswerable) return
  parked.add(`${id} unanswered`)
  space.unanswered.set(id, { id, conversation, text, ...rest })
}

function factsOf(topic: string, index: number): readonly string[] {
  return [`${index}: ${topic}`, secondFact]
}
