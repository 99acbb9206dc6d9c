/**
 * Undo by cause. Drops undone utterances that are in no sealed box, and retracts those in sealed boxes with a
 * `LinesRetracted`, which counts the remaining lines.
 */
import type { SequencedEvent } from '@loomlog/runtime/processor'
import { type Effects, get, put } from '@loomlog/runtime/step'
import type { Draft, EvidenceRetracted, LinesRetracted } from '@loomlog/schemas/events'
import { withoutLines } from './readings.ts'
import { boxOf, type PendingUtterance, stretch, visibleUtterances } from './state.ts'

export function* undo(
  event: SequencedEvent<EvidenceRetracted>,
  derivation: string,
): Effects<readonly Draft<LinesRetracted>[]> {
  if (event.derivation !== null && event.derivation !== derivation) return []
  const gone = new Set(event.utterances)
  yield* undoOpen(gone)
  const byBox = new Map<string, string[]>()
  for (const utterance of gone) {
    const box = yield* get(boxOf, utterance)
    if (box === null) continue
    yield* put(boxOf, utterance, null)
    byBox.set(box, [...(byBox.get(box) ?? []), utterance])
  }
  const drafts: Draft<LinesRetracted>[] = []
  for (const [box, utterances] of byBox) {
    const left = ((yield* get(visibleUtterances, box)) ?? []).filter((utterance) => !gone.has(utterance))
    yield* put(visibleUtterances, box, left.length === 0 ? null : left)
    const origin = { causes: [box], completions: [], method: 'rules' }
    const { conversation } = event
    drafts.push({ type: 'LinesRetracted', conversation, box, utterances, left: left.length, origin })
  }
  return drafts
}

function* undoOpen(gone: ReadonlySet<string>): Effects<void> {
  const open = yield* get(stretch, '')
  // No label of an open box quotes a line far before it.
  if (open === null || !open.readings.some(({ id }) => gone.has(id))) return
  const pending: PendingUtterance[] = []
  let isOpening = false
  for (const each of open.pending) {
    isOpening ||= each.opening?.opens === true
    if (gone.has(each.utterance.id)) continue
    pending.push(isOpening ? asOpening(each) : each)
    isOpening = false
  }
  const readings = withoutLines(open.readings, gone)
  yield* put(stretch, '', pending.length === 0 ? null : { ...open, readings, pending })
}

/** The box begins at this utterance, without a label that may quote an undone one. */
function asOpening(each: PendingUtterance): PendingUtterance {
  const { by, completions } = each.opening ?? { by: 'rules', completions: [] }
  return { ...each, score: each.score ?? 1, opening: { opens: true, label: null, by, completions } }
}
