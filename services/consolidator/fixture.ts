/** Facts for tests, with everything that a test does not care about filled in. */

import { type HarnessOptions, harness } from '@loomlog/runtime/harness'
import type { Sequenced } from '@loomlog/runtime/processor'
import type { DerivedEvent, DocumentDescribed, EntryRetired, EntryWritten, FactRecorded } from '@loomlog/schemas/events'
import { consolidator } from './processor.ts'
import type { Parameters } from './step.ts'

let made = 0

/** `text` is subject, relation and object, unless it is given. */
export function fact(given: Partial<Sequenced<FactRecorded>> & Pick<FactRecorded, 'subject' | 'relation' | 'object'>) {
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
    keyId: null,
    ...given,
  }
  return full
}

export function at(date: string): number {
  return Date.parse(`${date}T00:00:00Z`)
}

/** The consolidator in memory, and what its readers would see. */
export function library(options: HarnessOptions<Parameters> = {}) {
  const running = harness(consolidator, options)
  const events: DerivedEvent[] = []
  async function give(...facts: readonly Sequenced<FactRecorded>[]) {
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
