/**
 * The open window: whole boxes that a model reads in one ask (TriMem). It ends with a box: by its size, or by the content of its last line. So a
 * replay reads the same windows, and windows fall back into step behind a moved boundary.
 *
 * With a model there is one window for a space, so that short conversations share an ask; a pause of the space ends it. By rules a window
 * costs nothing: there is one for each conversation, and a pause or a gap of the conversation ends it too.
 */
import { approximateTokens } from '@loomlog/language/tokens'
import { type Effects, isAskedOfModel } from '@loomlog/runtime/step'
import type { BoxSealed, WindowEnd } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import type { WindowBox } from './state.ts'
import { extractFacts } from './tasks.ts'

export type WindowParameters = {
  /** With a model: a pause or a gap of a conversation ends a window of at least this many utterances. Such an end is the same wherever the boxes before it begin. */
  readonly leastAtPause: number
  /** A window of at least this many utterances ends by the content of its last line: one in `contentSpread` does. */
  readonly minWindowUtterances: number
  /** A window of this many utterances, or tokens, ends with the box. */
  readonly maxWindowUtterances: number
  readonly maxWindowTokens: number
}

/** One line in this many ends a window. */
const contentSpread = 3

/** The prefix of the keys of a window's boxes. */
export const spaceWindow = 'space/'

export function* windowOf({ conversation }: Pick<BoxSealed, 'conversation'>): Effects<string> {
  return (yield* isAskedOfModel(extractFacts)) ? spaceWindow : `${hash(conversation)}/`
}

export function windowBox({ id, conversation, utterances, cut }: BoxSealed): WindowBox {
  return { id, conversation, utterances, cut }
}

/** An open window behind its latest box. */
export interface OpenWindow {
  /** The prefix of its keys. */
  readonly window: string
  readonly boxes: readonly WindowBox[]
  /** The seq of the latest pause of the space; null: none so far. */
  readonly pausedSeq: number | null
}

/** Null: the window stays open. */
export function windowEnd({ window, boxes, pausedSeq }: OpenWindow, parameters: WindowParameters): WindowEnd | null {
  const last = boxes.at(-1)
  if (last === undefined) return null
  const isPause = last.cut === 'pause' || last.cut === 'gap'
  if (isPause && window !== spaceWindow) return 'pause'
  if (isLate(last, pausedSeq)) return 'pause'
  const utterances = boxes.flatMap((box) => box.utterances)
  if (isPause && utterances.length >= parameters.leastAtPause) return 'utterances'
  if (utterances.length >= parameters.maxWindowUtterances) return 'utterances'
  const tokens = utterances.reduce((sum, { text }) => sum + approximateTokens(text), 0)
  if (tokens >= parameters.maxWindowTokens) return 'tokens'
  const digest = Number.parseInt(hash(utterances.at(-1)?.text ?? '').slice(0, 8), 16)
  return utterances.length >= parameters.minWindowUtterances && digest % contentSpread === 0 ? 'content' : null
}

/**
 * The conversation pauses after its space, and has no line behind that pause of the space. No other pause of the space is sure to follow, so
 * the box must not wait for one.
 */
function isLate({ cut, utterances }: WindowBox, pausedSeq: number | null): boolean {
  const last = utterances.at(-1)
  return cut === 'pause' && last !== undefined && pausedSeq !== null && last.seq < pausedSeq
}

/** Whether an undo has left it some. */
export function hasLines({ utterances }: WindowBox): boolean {
  return utterances.length > 0
}

/** After an undo of these utterances; a box without lines stays until its window ends. */
export function boxesWithout(undone: readonly string[], boxes: readonly WindowBox[]): readonly WindowBox[] {
  const gone = new Set(undone)
  return boxes.map((box) => ({ ...box, utterances: box.utterances.filter(({ id }) => !gone.has(id)) }))
}
