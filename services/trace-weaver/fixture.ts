/** Fixtures of the step's tests: boxes with one event a line, a weaver with a toy embedding, and scripted answers. */
import { type HarnessOptions, harness } from '@loomlog/runtime/harness'
import type { BoxSealed, BoxUtterance, DerivedEvent, EventLinked, EventRecorded } from '@loomlog/schemas/events'
import { hash, type Json } from '@loomlog/schemas/ids'
import { traceWeaver } from './processor.ts'
import type { Parameters } from './step.ts'
import type { LinkQuestion } from './task-types.ts'

const dayMs = 24 * 60 * 60 * 1000

/** One box a conversation, a week after the one before; `Tomas: I bought a boat.` is one utterance. */
export function box(number: number, ...lines: readonly string[]): BoxSealed {
  const utterances = lines.map((line, index): BoxUtterance => {
    const [speaker = '', text = ''] = line.split(/: (.*)/s)
    const role = speaker === 'calendar' ? 'tool' : 'human'
    const at = Date.UTC(2026, 2, 2, 9, index) + number * 7 * dayMs
    return { id: `u-${number}-${index + 1}`, seq: number * 100 + index, speaker, role, at, text, attachments: [] }
  })
  return {
    type: 'BoxSealed',
    id: `box-${number}`,
    tenant: 'acme',
    space: 'team',
    seq: number * 100,
    ordinal: 0,
    knownAt: 0,
    lineage: { derivation: 'test', method: 'rules', causes: [], completions: [] },
    conversation: `conversation-${number}`,
    utterances,
    cut: 'pause',
    topic: '',
    keywords: [],
    startedAt: utterances[0]?.at ?? 0,
    endedAt: utterances.at(-1)?.at ?? 0,
    keyId: null,
  }
}

export const boat = [
  box(0, 'Tomas: I bought a wooden boat called Andorinha yesterday.', 'Ines: What a surprise!'),
  box(1, 'Tomas: Joaquim and I repaired the hull of the boat Andorinha on Friday.', 'Ines: Well done!'),
  box(2, 'Ines: I sent a talk proposal to the Quiet Systems conference last Friday.'),
  box(3, 'Ines: What is new?', 'Tomas: I painted the boat Andorinha green last week.'),
  box(4, 'Tomas: I launched the boat Andorinha in Setúbal yesterday.'),
]

export function woven(options: HarnessOptions<Parameters> = {}) {
  return harness(traceWeaver, { embedding: wordsOf, ...options })
}

/** A toy embedding: texts are similar if they share words, regardless of meaning. */
function wordsOf(text: string): readonly number[] {
  const vector = new Array<number>(512).fill(0)
  for (const word of text.toLowerCase().match(/[a-zú]{3,}/g) ?? [])
    vector[Number.parseInt(hash(word).slice(0, 4), 16) % 512] = 10
  return vector
}

export async function weave(boxes: readonly BoxSealed[], options: HarnessOptions<Parameters> = {}) {
  const run = woven(options)
  const made = await run.give(...boxes)
  return { run, made, ...traceEvents(made) }
}

export function traceEvents(made: readonly DerivedEvent[]) {
  const events = made.filter((event): event is EventRecorded => event.type === 'EventRecorded')
  const links = made.filter((event): event is EventLinked => event.type === 'EventLinked')
  const texts = new Map(events.map((event) => [event.id, event.text]))
  const traces = [...Map.groupBy(links, (link) => link.trace).values()]
  return {
    events,
    links,
    traces,
    textsOf: (trace: readonly EventLinked[] = []) => trace.map((link) => texts.get(link.event)),
  }
}

/** The keyed records of one kind, by key. */
export function records(state: ReadonlyMap<string, Json>, kind: string) {
  return [...state].flatMap(([path, value]) => {
    const [, record, key = ''] = path.split('\u001f')
    return record === kind ? [[key, value] as const] : []
  })
}

/** The answer of a model that finds these events in a box's first line. */
export function modelEvents(...events: readonly { readonly text: string; readonly [key: string]: Json }[]) {
  const whole = events.map((event) => ({
    sources: ['u1'],
    when: null,
    persons: [],
    keywords: event.text.split(' '),
    ...event,
  }))
  return { events: whole }
}

/** An answer that links an event with the candidates that contain these verbs, with these scores. */
function verdict(...wanted: readonly (readonly [verb: string, score: number])[]) {
  return (input: Json): Json => {
    const { candidates } = input as unknown as LinkQuestion
    const score = (text: string) => wanted.find(([verb]) => text.includes(verb))?.[1] ?? 0
    return { links: candidates.map(({ label, events }) => ({ label, score: score(events.at(-1)?.text ?? '') })) }
  }
}

/** Gives one box after the other, each with the verdict on its links. */
export function weaver(parameters: Partial<Parameters> = {}) {
  let now = verdict()
  const run = woven({ parameters, answers: { 'verify-links': (input) => now(input) } })
  const weaves = async (next: BoxSealed, ...wanted: readonly (readonly [verb: string, score: number])[]) => {
    now = verdict(...wanted)
    return traceEvents(await run.give(next))
  }
  return { run, weaves }
}

export const boatBox = (number: number, verb: string) => box(number, `Tomas: I ${verb} the boat Andorinha yesterday.`)
