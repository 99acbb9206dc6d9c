/**
 * Undo by cause: removes utterances from the open box without a trace, and from sealed boxes with a `LinesRetracted`. A box without
 * lines is retired.
 */
import type { SequencedEvent } from '@loomlog/runtime/processor'
import { type Effects, get, put } from '@loomlog/runtime/step'
import type { BoxUtterance, Draft, EvidenceRetracted, LinesRetracted } from '@loomlog/schemas/events'
import { boxOf, openBox, shown } from './state.ts'

export function* undo(
  event: SequencedEvent<EvidenceRetracted>,
  derivation: string,
  tokensOf: (utterance: BoxUtterance) => number,
): Effects<readonly Draft<LinesRetracted>[]> {
  if (event.derivation !== null && event.derivation !== derivation) return []
  const gone = new Set(event.utterances)
  yield* undoOpen(gone, tokensOf)
  const byBox = new Map<string, string[]>()
  for (const utterance of gone) {
    const box = yield* get(boxOf, utterance)
    if (box === null) continue
    yield* put(boxOf, utterance, null)
    byBox.set(box, [...(byBox.get(box) ?? []), utterance])
  }
  const drafts: Draft<LinesRetracted>[] = []
  for (const [box, utterances] of byBox) {
    const left = ((yield* get(shown, box)) ?? []).filter((utterance) => !gone.has(utterance))
    yield* put(shown, box, left.length === 0 ? null : left)
    const origin = { causes: [box], completions: [], method: 'rules' }
    const { conversation } = event
    drafts.push({ type: 'LinesRetracted', conversation, box, utterances, left: left.length, origin })
  }
  return drafts
}

function* undoOpen(gone: ReadonlySet<string>, tokensOf: (utterance: BoxUtterance) => number): Effects<void> {
  const open = yield* get(openBox, '')
  if (open === null) return
  const utterances = open.utterances.filter((utterance) => !gone.has(utterance.id))
  const before = open.before !== null && gone.has(open.before.id) ? null : open.before
  const tokens = utterances.reduce((sum, utterance) => sum + tokensOf(utterance), 0)
  yield* put(openBox, '', utterances.length === 0 ? null : { ...open, utterances, tokens, before })
}
