/** Fixtures of the step's tests: windows of facts, a weaver with a toy embedding, and scripted answers. */
import { restate } from '@loomlog/language/restate'
import { type HarnessOptions, harness } from '@loomlog/runtime/harness'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { DerivedEvent, EventLinked, FactRecorded, FactRetracted, WindowExtracted } from '@loomlog/schemas/events'
import { hash, type Json } from '@loomlog/schemas/ids'
import { traceWeaver } from './processor.ts'
import type { Input, Parameters } from './step.ts'
import type { LinkQuestion } from './task-types.ts'

export type WeaverInput = SequencedEvent<Input>

const dayMs = 24 * 60 * 60 * 1000
const rules = { derivation: 'test', method: 'rules', causes: [], completions: [] }

/** The Monday of a window's week: each window has a week and a conversation of its own. */
const mondayOf = (number: number) => Date.UTC(2026, 2, 2, 9) + number * 7 * dayMs
const envelope = (number: number) => ({ tenant: 'acme', space: 'team', seq: number, ordinal: 0, knownAt: 0 })

export function fact(number: number, id: string, fields: Partial<FactRecorded>): FactRecorded {
  const statement = { text: '', kind: 'event', subject: '', relation: '', object: '', when: null, until: null } as const
  const unsaid = { isChange: false, isInstruction: false }
  const lists = { persons: [], entities: [], keywords: [], sources: [`u-${id}`] }
  const spoken = { speaker: 'Tomas', role: 'human', saidAt: mondayOf(number), location: null } as const
  const place = {
    box: `box-${number}`,
    conversation: `conversation-${number}`,
    inferred: [],
    correction: null,
    keyId: null,
  }
  const own = { ...statement, ...lists, ...spoken, ...unsaid, ...place, lineage: rules }
  return { type: 'FactRecorded', id, ...envelope(number), ...own, ...fields }
}

export function windowEnd(number: number): WindowExtracted {
  const counts = { utterances: 1, facts: 1, cut: 'pause', closedBy: 'pause', topics: [], keyId: null } as const
  const place = { conversation: `conversation-${number}`, boxes: [`box-${number}`] }
  return { type: 'WindowExtracted', id: `window-${number}`, ...envelope(number), lineage: rules, ...place, ...counts }
}

/**
 * A window of one box, a week after the one before: the facts of its lines by rules. `Tomas: I bought a boat.` is one
 * utterance.
 */
export function spokenWindow(number: number, ...lines: readonly string[]): readonly (FactRecorded | WindowExtracted)[] {
  const spoken = lines.map((line, index) => {
    const [speaker = '', text = ''] = line.split(/: (.*)/s)
    return { speaker, text, at: mondayOf(number) + index * 60_000 }
  })
  const participants = [...new Set(spoken.map(({ speaker }) => speaker))]
  const facts = spoken.flatMap((utterance, line) => {
    const previous = spoken.slice(0, line)
    const statements = restate(utterance, { addressee: null, previous, participants })
    return statements.map(({ tense: _, ...statement }, index) => {
      const said = { speaker: utterance.speaker, saidAt: utterance.at, sources: [`u-${number}-${line + 1}`] }
      return fact(number, `f-${number}-${line + 1}-${index}`, { ...statement, ...said })
    })
  })
  return [...facts, windowEnd(number)]
}

/** A window with the facts that a model found. */
export function factWindow(number: number, ...facts: readonly Partial<FactRecorded>[]): readonly WeaverInput[] {
  const all = facts.map((fields, index) => {
    const keywords = (fields.text ?? '').split(' ')
    const lineage = { ...rules, method: 'a-model' }
    return fact(number, `f-${number}-${index}`, { keywords, persons: ['Tomas'], lineage, ...fields })
  })
  return [...all, windowEnd(number)]
}

export function retraction(id: string): FactRetracted {
  const why = { correction: 'x', cause: 'corrected', conversation: 'c' } as const
  return { type: 'FactRetracted', id: `retract ${id}`, ...envelope(9_000), lineage: rules, fact: id, ...why }
}

export const boat = [
  spokenWindow(0, 'Tomas: I bought a wooden boat called Andorinha yesterday.', 'Ines: What a surprise!'),
  spokenWindow(1, 'Tomas: Joaquim and I repaired the hull of the boat Andorinha on Friday.', 'Ines: Well done!'),
  spokenWindow(2, 'Ines: I sent a talk proposal to the Quiet Systems conference last Friday.'),
  spokenWindow(3, 'Ines: What is new?', 'Tomas: I painted the boat Andorinha green last week.'),
  spokenWindow(4, 'Tomas: I launched the boat Andorinha in Setúbal yesterday.'),
]

export function weaverHarness(options: HarnessOptions<Parameters> = {}) {
  return harness(traceWeaver, { embedding: wordsOf, ...options })
}

/** A toy embedding: texts are similar if they share words, regardless of meaning. */
function wordsOf(text: string): readonly number[] {
  const vector = new Array<number>(512).fill(0)
  for (const word of text.toLowerCase().match(/[a-zú]{3,}/g) ?? [])
    vector[Number.parseInt(hash(word).slice(0, 4), 16) % 512] = 10
  return vector
}

export async function weave(windows: readonly (readonly WeaverInput[])[], options: HarnessOptions<Parameters> = {}) {
  const run = weaverHarness(options)
  const made = await run.give(...windows.flat())
  return { run, made, facts: windows.flat(), ...traceEvents(made, windows.flat()) }
}

/** @param given the facts, whose texts traces are shown by */
export function traceEvents(made: readonly DerivedEvent[], given: readonly WeaverInput[] = []) {
  const links = made.filter((event): event is EventLinked => event.type === 'EventLinked')
  const facts = given.filter((event): event is FactRecorded => event.type === 'FactRecorded')
  const texts = new Map(facts.map(({ id, text }) => [id, text]))
  const traces = [...Map.groupBy(links, (link) => link.trace).values()]
  return { links, traces, textsOf: (trace: readonly EventLinked[] = []) => trace.map((link) => texts.get(link.event)) }
}

/** The keyed records of one kind, by key. */
export function records(state: ReadonlyMap<string, Json>, kind: string) {
  return [...state].flatMap(([path, value]) => {
    const [, record, key = ''] = path.split('\u001f')
    return record === kind ? [[key, value] as const] : []
  })
}

/** An answer that links every event with the candidates whose last event contains one of these verbs. */
function verdict(...verbs: readonly string[]) {
  return (input: Json): Json => {
    const { events, matters } = input as unknown as LinkQuestion
    const texts = new Map([
      ...matters.map((matter) => [matter.label, matter.events.at(-1)?.text ?? ''] as const),
      ...events.map(({ label, text }) => [label, text] as const),
    ])
    const belongs = (label: string) => verbs.some((verb) => texts.get(label)?.includes(verb))
    return {
      links: events.map(({ label, candidates }) =>
        [label, ...candidates.map((each) => each.label).filter(belongs)].join(' '),
      ),
    }
  }
}

/**
 * With a model that decides every pair: gives one window after the other, each with the verbs that its events are
 * linked with.
 */
export function weaver(parameters: Partial<Parameters> = {}) {
  let now = verdict()
  const asksAll = { askAbove: 0, askBelow: 2, ...parameters }
  const run = weaverHarness({ parameters: asksAll, answers: { 'verify-links': (input) => now(input) } })
  const weaves = async (next: readonly WeaverInput[], ...verbs: readonly string[]) => {
    now = verdict(...verbs)
    return traceEvents(await run.give(...next), next)
  }
  return { run, weaves }
}

export const boatWindow = (number: number, verb: string) =>
  spokenWindow(number, `Tomas: I ${verb} the boat Andorinha yesterday.`)
