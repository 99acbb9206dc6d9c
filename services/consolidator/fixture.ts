/** Facts for tests, with defaults for all fields that a test does not name. */

import { type HarnessOptions, harness } from '@loomlog/runtime/harness'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type {
  BatchConsolidated,
  DerivedEvent,
  DocumentDescribed,
  EntryRetired,
  EntryWritten,
  FactRecorded,
  FactRetracted,
  WindowExtracted,
} from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import { consolidator } from './processor.ts'
import type { Input, Parameters } from './step.ts'
import type { BatchInput, BatchPlan, ShownEntry } from './task-types.ts'

let made = 0

export type FactFields = Partial<SequencedEvent<FactRecorded>> & Pick<FactRecorded, 'subject' | 'relation' | 'object'>

/** The default `text` is subject, relation and object. */
export function fact(fields: FactFields) {
  made++
  const full: SequencedEvent<FactRecorded> = {
    type: 'FactRecorded',
    id: `fact-${made}`,
    tenant: 'acme',
    space: 'home',
    seq: made,
    ordinal: 0,
    knownAt: 0,
    lineage: { derivation: 'facts-test', method: 'rules', causes: [`box-${made}`], completions: [] },
    box: `box-${made}`,
    conversation: 'c1',
    text: `${fields.subject} ${fields.relation} ${fields.object}.`,
    kind: 'state',
    speaker: fields.subject,
    role: 'human',
    saidAt: at('2024-01-01') + made * 60_000,
    when: null,
    until: null,
    isChange: false,
    isInstruction: false,
    location: null,
    persons: [],
    entities: [],
    keywords: [],
    sources: [`utterance-${made}`],
    inferred: [],
    correction: null,
    keyId: null,
    ...fields,
  }
  return full
}

export function retraction(of: string): SequencedEvent<FactRetracted> {
  made++
  const place = { tenant: 'acme', space: 'home', conversation: 'c1', seq: made, ordinal: 0, knownAt: 0 }
  const lineage = { derivation: 'facts-test', method: 'rules', causes: ['correction'], completions: [] }
  return {
    type: 'FactRetracted',
    id: `retraction-${made}`,
    ...place,
    lineage,
    fact: of,
    correction: 'c',
    cause: 'corrected',
  }
}

/** A fact that a person states by a correction. */
export function correctionFact(
  action: 'replace' | 'add' | 'pin',
  fields: FactFields,
  ...replaced: readonly string[]
): SequencedEvent<FactRecorded> {
  return fact({ box: '', ...fields, correction: { id: `correction-${made}`, action, by: 'Maya', replaced, ended: [] } })
}

/** The end of a window, by default a pause, which ends the batch. */
export function windowEnd(fields: Partial<SequencedEvent<WindowExtracted>> = {}): SequencedEvent<WindowExtracted> {
  made++
  const place = { tenant: 'acme', space: 'home', conversation: 'c1', seq: made, ordinal: 0, knownAt: 0 }
  const lineage = { derivation: 'facts-test', method: 'rules', causes: [], completions: [] }
  const counts = { utterances: 1, facts: 1, cut: 'pause', closedBy: 'pause' } as const
  const whole = { ...counts, boxes: ['box'], topics: [], keyId: null }
  return { type: 'WindowExtracted', id: `window-${made}`, ...place, lineage, ...whole, ...fields }
}

export function at(date: string): number {
  return Date.parse(`${date}T00:00:00Z`)
}

export interface Decisions {
  readonly d?: string
  readonly heading?: string
  readonly same?: readonly string[]
  readonly ends?: readonly string[]
}

/**
 * A model's plan: every fact goes into the first document, or a new one, unless `decide` says otherwise. The other rows
 * come last.
 */
export function placedBy(
  decide: (label: string, input: BatchInput) => Decisions = () => ({}),
  rest: readonly string[] = [],
) {
  return (given: Json): Json => {
    const input = given as unknown as BatchInput
    const rows = input.facts.flatMap(({ label }) => {
      const { d = input.documents[0]?.label ?? 'n1', heading = 'Notes+', same = [], ends = [] } = decide(label, input)
      const marks = [...ends.map((each) => ` -${each}`), ...same.map((each) => ` =${each}`)]
      return [d, `${label} ${heading}${marks.join('')}`]
    })
    return { rows: [...rows, ...rest] } satisfies BatchPlan
  }
}

export function shownEntries({ documents }: BatchInput): readonly ShownEntry[] {
  return documents.flatMap(({ entries }) => entries)
}

/** The label of the shown entry, or of the fact, with these words. */
export function labelled(input: BatchInput, words: RegExp): string {
  return [...shownEntries(input), ...input.facts].find(({ text }) => words.test(text))?.label ?? 'e0'
}

function alone(each: SequencedEvent<FactRecorded>): readonly SequencedEvent<Input>[] {
  return [each, windowEnd({ id: `window of ${each.id}` })]
}

/** The consolidator in memory, with the documents that its readers see. */
export function consolidatorHarness(options: HarnessOptions<Parameters> = {}) {
  // Each pause ends a batch, so that a test sees its outputs.
  const running = harness(consolidator, { ...options, parameters: { leastAtPause: 1, ...options.parameters } })
  const events: DerivedEvent[] = []
  async function deliver(...given: readonly SequencedEvent<Input>[]) {
    const made = await running.give(...given)
    events.push(...made)
    return made
  }
  /** Every fact is a batch of its own. */
  const give = (...given: readonly SequencedEvent<Input>[]) =>
    deliver(...given.flatMap((each) => (each.type === 'FactRecorded' ? alone(each) : [each])))
  /** The facts are one batch. */
  const giveBatch = (...given: readonly SequencedEvent<Input>[]) => deliver(...given, windowEnd())
  const written = () => events.filter((event): event is EntryWritten => event.type === 'EntryWritten')
  const retired = () => events.filter((event): event is EntryRetired => event.type === 'EntryRetired')
  const batches = () => events.filter((event): event is BatchConsolidated => event.type === 'BatchConsolidated')
  const described = () => events.filter((event): event is DocumentDescribed => event.type === 'DocumentDescribed')
  /** Current entries. */
  function current(kind: 'topic' | 'profile') {
    const over = new Set(retired().map((event) => event.entry))
    return written().filter((event) => event.kind === kind && !over.has(event.id))
  }
  /** The last `EntryRetired` of an entry. */
  const endOf = (text: string, kind: 'topic' | 'profile' = 'topic') => {
    const ids = new Set(
      written()
        .filter((event) => event.kind === kind && event.text === text)
        .map((event) => event.id),
    )
    return retired().findLast((event) => ids.has(event.entry))
  }
  return {
    deliver,
    give,
    giveBatch,
    batches,
    events,
    written,
    retired,
    described,
    current,
    endOf,
    asked: running.asked,
    state: running.state,
  }
}
