/**
 * Measures a consolidated batch by its outputs, regardless of the code that made them: the facts in no entry, the
 * merged entries with a name, a number or a date that the entry in their place lacks, and the values that contradict
 * each other.
 */

import { type Effects, get } from '@loomlog/runtime/step'
import type { BatchConsolidated } from '@loomlog/schemas/events'
import type { Changes } from '../changes.ts'
import { type Entry, entries, entryKey, type Fact, timelines } from '../state.ts'
import { lostWords, type Statement } from './grounded-words.ts'
import { slotOf } from './reconciliation.ts'

type Preservation = Pick<BatchConsolidated, 'written' | 'merged' | 'superseded' | 'lost' | 'contradictions'>

export function* preservationOf(changes: Changes, facts: readonly Fact[]): Effects<Preservation> {
  const retired = changes.drafts.filter((draft) => draft.type === 'EntryRetired')
  return {
    written: changes.written.size,
    merged: retired.filter(({ reason }) => reason === 'merged').length,
    superseded: retired.filter(({ reason }) => reason === 'superseded').length,
    lost: [...factsWithoutEntry(changes, facts), ...lossyMerges(changes)],
    contradictions: yield* contradictions(changes, facts),
  }
}

function factsWithoutEntry(changes: Changes, facts: readonly Fact[]): readonly string[] {
  const stated = new Set([...changes.written.values()].flatMap((entry) => entry.facts))
  return facts.map(({ id }) => id).filter((id) => !stated.has(id))
}

function lossyMerges({ merged, written }: Changes): readonly string[] {
  return merged.filter(({ entry, by }) => isLossy(entry, written.get(by))).map(({ id }) => id)
}

function isLossy(entry: Entry, into: Entry | undefined): boolean {
  return into === undefined || lostWords(statement(entry), statement(into)).length > 0
}

function statement({ text, factKind: kind, when }: Entry): Statement {
  return { text, kind, when }
}

/** Current values of a slot beyond the first. A plan, or the rank of the speakers, lets them hold together. */
function* contradictions({ written, gone }: Changes, facts: readonly Fact[]): Effects<number> {
  let found = 0
  for (const slot of new Set(facts.map(slotOf))) {
    if (slot === null) continue
    const values = new Set<string>()
    for (const { place } of (yield* get(timelines, slot)) ?? []) {
      if ((yield* get(entries, entryKey(place))) !== null) values.add(place.entry)
    }
    const ofSlot = new Set(facts.filter((fact) => slotOf(fact) === slot).map(({ id }) => id))
    for (const [id, entry] of written) {
      if (entry.kind === 'topic' && !gone.has(id) && entry.facts.some((fact) => ofSlot.has(fact))) values.add(id)
    }
    found += Math.max(0, values.size - 1)
  }
  return found
}
