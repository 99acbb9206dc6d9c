/**
 * The open window of a conversation: whole boxes that a model reads in one ask (TriMem). It ends with a box: at a pause or a gap, by its size, or by
 * the content of its last line. So a replay reads the same windows, and windows fall back into step behind a moved boundary.
 */
import { approximateTokens } from '@loomlog/language/tokens'
import type { BoxSealed } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import type { WindowBox } from './state.ts'

export type WindowParameters = {
  /** A window of at least this many utterances ends by the content of its last line: one in `contentSpread` does. */
  readonly minWindowUtterances: number
  /** A window of this many utterances, or tokens, ends with the box. */
  readonly maxWindowUtterances: number
  readonly maxWindowTokens: number
}

/** One line in this many ends a window. */
const contentSpread = 3

export function windowBox({ id, utterances, cut }: BoxSealed): WindowBox {
  return { id, utterances, cut }
}

export function endsWindow(boxes: readonly WindowBox[], parameters: WindowParameters): boolean {
  const last = boxes.at(-1)
  if (last === undefined) return false
  if (last.cut === 'pause' || last.cut === 'gap') return true
  const utterances = boxes.flatMap((box) => box.utterances)
  if (utterances.length >= parameters.maxWindowUtterances) return true
  const tokens = utterances.reduce((sum, { text }) => sum + approximateTokens(text), 0)
  if (tokens >= parameters.maxWindowTokens) return true
  const digest = Number.parseInt(hash(utterances.at(-1)?.text ?? '').slice(0, 8), 16)
  return utterances.length >= parameters.minWindowUtterances && digest % contentSpread === 0
}

/** After an undo of these utterances; a box without lines stays until its window ends. */
export function boxesWithout(undone: readonly string[], boxes: readonly WindowBox[]): readonly WindowBox[] {
  const gone = new Set(undone)
  return boxes.map((box) => ({ ...box, utterances: box.utterances.filter(({ id }) => !gone.has(id)) }))
}
