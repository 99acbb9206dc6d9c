/**
 * Corrections that say from when their words hold. The corrected facts hold until then: their entries are superseded at
 * that time, and stay in the history. A corrected fact that waits in the open batch is recorded first. One that is
 * recorded after the correction ends at the same time, also if the correction is retracted by then.
 */

import { correctionFactId } from '@loomlog/corrections/fact-id'
import { type Effects, get } from '@loomlog/runtime/step'
import type { CorrectionApplied } from '@loomlog/schemas/events'
import { takeFromBatch } from '../batch.ts'
import { byRules, type Changes, retireEntry } from '../changes.ts'
import type { PlacedEntry } from '../documents/term-index.ts'
import { currentPlace, entries, entryKey, type Fact, placedFacts } from '../state.ts'
import { type FactContext, type RecordParameters, recordFact } from './fact-entry.ts'
import { heldAt } from './reconciliation.ts'
import { replaceValue } from './retraction.ts'

const alone: FactContext = { guidance: null, opened: new Map() }

/** Records a correction's fact at once, by rules, and ends the facts that hold until it begins. */
export function* recordCorrection(changes: Changes, fact: Fact, parameters: RecordParameters): Effects<void> {
  const ended: PlacedEntry[] = []
  let attestedAt = heldAt(fact)
  for (const id of fact.correction?.ended ?? []) {
    const waiting = yield* takeFromBatch(id)
    if (waiting !== null) yield* recordFact(changes, waiting, alone, parameters)
    const placed = yield* get(placedFacts, id)
    if (placed === null || placed === 'retracted') continue
    const place = yield* currentPlace(placed.place)
    const entry = yield* get(entries, entryKey(place))
    // An utterance may attest the fact after its end, by mistake. The correction comes after it in the order of event
    // time.
    attestedAt = Math.max(attestedAt, placed.heldAt, entry?.heldAt ?? placed.heldAt)
    if (entry !== null) ended.push({ place, entry })
  }
  const dated = attestedAt === heldAt(fact) ? fact : { ...fact, attestedAt }
  yield* recordFact(changes, dated, { ...alone, ended }, parameters)
}

/** Ends facts that are recorded after the correction that concerns them. Those recorded before have ended with it. */
export function* endLateFacts(
  changes: Changes,
  { correction, from, ended }: CorrectionApplied,
  parameters: RecordParameters,
): Effects<void> {
  if (from === null) return
  for (const id of ended) {
    const waiting = yield* takeFromBatch(id)
    if (waiting === null) continue
    const attestedAt = Math.min(heldAt(waiting), from - 1)
    yield* recordFact(changes, { ...waiting, attestedAt }, { ...alone, isApart: true }, parameters)
    yield* endEntry(changes, { fact: id, by: correctionFactId(correction), validTo: from })
  }
}

/** Does nothing if the entry has ended, by a value of its slot. */
function* endEntry(
  changes: Changes,
  { fact, by, validTo }: { readonly fact: string; readonly by: string; readonly validTo: number },
): Effects<void> {
  const placed = yield* get(placedFacts, fact)
  if (placed === null || placed === 'retracted') return
  const { place, twin } = placed
  const entry = yield* get(entries, entryKey(place))
  if (entry === null) return
  const found = yield* get(placedFacts, by)
  const successor = found === 'retracted' ? null : found
  const next = successor && (yield* currentPlace(successor.place))
  const nextTwin = successor?.twin ? yield* currentPlace(successor.twin) : null
  const how = { reason: 'superseded', validTo } as const
  yield* retireEntry(changes, { place, by: next, ...how }, byRules)
  if (twin !== null) yield* retireEntry(changes, { place: twin, by: nextTwin, ...how }, byRules)
  // No later value may end it again.
  yield* replaceValue(place, entry, null)
}
