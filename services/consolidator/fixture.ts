/** Facts for tests, with everything that a test does not care about filled in. */

import { type HarnessOptions, harness } from '@loomlog/runtime/harness'
import type { Sequenced } from '@loomlog/runtime/processor'
import type {
  DerivedEvent,
  DocumentDescribed,
  EntryRetired,
  EntryWritten,
  FactRecorded,
  FactRetracted,
} from '@loomlog/schemas/events'
import { consolidator } from './processor.ts'
import type { Input, Parameters } from './step.ts'

let made = 0

type Given = Partial<Sequenced<FactRecorded>> & Pick<FactRecorded, 'subject' | 'relation' | 'object'>

/** `text` is subject, relation and object, unless it is given. */
export function fact(given: Given) {
  made++
  const full: Sequenced<FactRecorded> = {
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
    text: `${given.subject} ${given.relation} ${given.object}.`,
    kind: 'state',
    speaker: given.subject,
    role: 'human',
    saidAt: at('2024-01-01') + made * 60_000,
    when: null,
    location: null,
    persons: [],
    entities: [],
    keywords: [],
    sources: [`utterance-${made}`],
    correction: null,
    keyId: null,
    ...given,
  }
  return full
}

export function retraction(of: string): Sequenced<FactRetracted> {
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
export function corrected(
  action: 'replace' | 'add' | 'pin',
  given: Given,
  ...replaced: readonly string[]
): Sequenced<FactRecorded> {
  return fact({ box: '', ...given, correction: { id: `correction-${made}`, action, by: 'Maya', replaced } })
}

export function at(date: string): number {
  return Date.parse(`${date}T00:00:00Z`)
}

/** The consolidator in memory, and what its readers would see. */
export function library(options: HarnessOptions<Parameters> = {}) {
  const running = harness(consolidator, options)
  const events: DerivedEvent[] = []
  async function give(...facts: readonly Sequenced<Input>[]) {
    const made = await running.give(...facts)
    events.push(...made)
    return made
  }
  const written = () => events.filter((event): event is EntryWritten => event.type === 'EntryWritten')
  const retired = () => events.filter((event): event is EntryRetired => event.type === 'EntryRetired')
  const described = () => events.filter((event): event is DocumentDescribed => event.type === 'DocumentDescribed')
  /** Entries that hold now. */
  function current(kind: 'topic' | 'profile') {
    const over = new Set(retired().map((event) => event.entry))
    return written().filter((event) => event.kind === kind && !over.has(event.id))
  }
  /** What was said of the end of an entry last. */
  const endOf = (text: string, kind: 'topic' | 'profile' = 'topic') => {
    const ids = new Set(
      written()
        .filter((event) => event.kind === kind && event.text === text)
        .map((event) => event.id),
    )
    return retired().findLast((event) => ids.has(event.entry))
  }
  return { give, events, written, retired, described, current, endOf, asked: running.asked, state: running.state }
}
