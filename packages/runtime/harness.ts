/**
 * Drives a processor in a test: events in, events out, with keyed state in memory, no broker and no clock. Tasks are
 * answered by rules unless the test scripts an answer; embeddings come from `embedding`. A look-ahead is checked
 * against the step.
 */
import type { DerivedRecord, Draft, SpaceRecord } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import { drive, type StepEnvironment, statelessEnvironment } from './drive.ts'
import { withEnvelopes } from './envelope.ts'
import { LookAheadCheck } from './look-ahead-check.ts'
import { compareBytewise, stateKey } from './overlay.ts'
import type { Processor, SequencedEvent } from './processor.ts'
import type { Ask } from './step.ts'
import { type Answer, embed, type Parameters } from './step.ts'

export interface HarnessOptions<P extends Parameters> {
  readonly parameters?: Partial<P>
  /** Scripted answers by task name; `{ none }` for "no answer, because". Tasks without one are answered by rules. */
  readonly answers?: { readonly [task: string]: (input: Json) => Json | { readonly none: string } }
  readonly embedding?: (text: string) => readonly number[]
}

export interface Harness<In extends SpaceRecord, Out extends DerivedRecord> {
  /** Gives the events one after the other, and returns all derived events. */
  give(...events: readonly SequencedEvent<In>[]): Promise<readonly Out[]>
  /** Every ask so far, by task name. */
  readonly asked: readonly { readonly task: string; readonly input: Json }[]
  /** The keyed records as they stand: lane, record and key → value. */
  readonly state: ReadonlyMap<string, Json>
}

export function harness<In extends SpaceRecord, Out extends DerivedRecord, P extends Parameters>(
  processor: Processor<In, Out, P>,
  options: HarnessOptions<P> = {},
): Harness<In, Out> {
  const parameters: P = { ...processor.parameters, ...options.parameters }
  const asked: { task: string; input: Json }[] = []
  const state = new Map<string, Json>()

  async function answerOne({ task, input }: Ask): Promise<Answer<Json>> {
    const scripted = options.answers?.[task.name]
    if (scripted) return scriptedAnswer(scripted(input))
    if (task.name === embed.name) return byRules(options.embedding?.(input as string) ?? [])
    return byRules(await drive(task.local(input, parameters), statelessEnvironment(answer)))
  }

  async function answer(asks: readonly Ask[]): Promise<readonly Answer<Json>[]> {
    asked.push(...asks.map(({ task, input }) => ({ task: task.name, input })))
    return Promise.all(asks.map(answerOne))
  }

  const isAskedOfModel = ({ name }: Ask['task']) => options.answers?.[name] !== undefined

  async function give(...events: readonly SequencedEvent<In>[]): Promise<readonly Out[]> {
    const made: DerivedRecord[] = []
    for (const event of events) {
      const lane = `${event.space}/${processor.lane(event)}`
      const environment = inMemory(state, lane, { answer, isAskedOfModel })
      const checkAhead = ahead?.before(lane, event, environment)
      const before = asked.length
      const drafts: readonly Draft[] = await drive(processor.step(event, parameters, 'test'), environment)
      checkAhead?.(asked.slice(before))
      made.push(...withEnvelopes(drafts, event, { stage: processor.stage, derivation: 'test' }))
    }
    return made as readonly DerivedRecord[] as readonly Out[]
  }

  const { lookAhead } = processor as Processor
  // As at run time: without a model nothing is asked ahead.
  const hasModel = options.answers !== undefined
  const ahead = hasModel && lookAhead ? new LookAheadCheck({ lookAhead, parameters }) : null

  return { give, asked, state }
}

function byRules(value: Json): Answer<Json> {
  return { kind: 'answer', value, by: 'rules', completions: [] }
}

function scriptedAnswer(value: Json | { readonly none: string }): Answer<Json> {
  const origin = { by: 'scripted', completions: ['scripted'] }
  const isNone = value !== null && typeof value === 'object' && 'none' in value && typeof value.none === 'string'
  return isNone
    ? { kind: 'none', reason: value.none as string, value: null, ...origin }
    : { kind: 'answer', value: value as Json, ...origin }
}

function inMemory(
  state: Map<string, Json>,
  lane: string,
  answering: Pick<StepEnvironment, 'answer' | 'isAskedOfModel'>,
): StepEnvironment {
  const at = (record: string, key: string) => stateKey(lane, record, key)
  return {
    ...answering,
    get: (record, key) => state.get(at(record, key)) ?? null,
    put: (record, key, value) => {
      // Encoded as in the log, and frozen: a step that changes a value fails.
      if (value === null) state.delete(at(record, key))
      else state.set(at(record, key), JSON.parse(JSON.stringify(value), frozen) as Json)
    },
    range: (record, prefix, limit) =>
      [...state]
        .filter(([key]) => key.startsWith(at(record, prefix)))
        .sort(([a], [b]) => compareBytewise(a, b))
        .slice(0, limit)
        .map(([key, value]) => [key.slice(at(record, '').length), value] as const),
  }
}

function frozen(_: string, value: unknown): unknown {
  return Object.freeze(value)
}
