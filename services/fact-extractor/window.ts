/**
 * The open window: whole boxes that a model reads in one ask (TriMem). It ends with a box: by its size, or by the hash
 * of its last line. So a replay reads the same windows, and after a moved boundary the windows soon end at the same
 * places again.
 *
 * With a model there is one window for a space, so that short conversations share an ask; a pause of the space ends it.
 * By rules a window costs nothing: there is one for each conversation, and a pause or a gap of the conversation ends it
 * too.
 */
import { approximateTokens } from '@loomlog/language/tokens'
import { digestOf, isCut } from '@loomlog/runtime/content-cut'
import { type Effects, isAskedOfModel } from '@loomlog/runtime/step'
import type { BoxSealed, WindowEnd } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import type { WindowBox } from './state.ts'
import { extractFacts } from './tasks.ts'

export type WindowParameters = {
  /**
   * With a model: a pause or a gap of a conversation ends a window of at least this many utterances. Such an end
   * doesn't depend on where the boxes before it begin.
   */
  readonly leastAtPause: number
  /** A window of at least this many utterances ends by the hash of its last line. */
  readonly minWindowUtterances: number
  /** A window of this many utterances, or tokens, ends with the box. */
  readonly maxWindowUtterances: number
  readonly maxWindowTokens: number
}

/** Of the lines after which a window is long enough, one in this many ends it. */
const linesPerCut = 3

/** The prefix of the keys of a window's boxes. */
export const spaceWindow = 'space/'

export function* windowOf({ conversation }: Pick<BoxSealed, 'conversation'>): Effects<string> {
  return (yield* isAskedOfModel(extractFacts)) ? spaceWindow : `${hash(conversation)}/`
}

export function windowBox({ id, conversation, utterances, cut }: BoxSealed): WindowBox {
  return { id, conversation, utterances, cut }
}

/** An open window, with its latest box. */
export interface OpenWindow {
  /** The prefix of the keys of its boxes. */
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
  const isLongEnough = utterances.length >= parameters.minWindowUtterances
  return isLongEnough && isCut(digestOf(utterances.at(-1)?.text ?? ''), linesPerCut) ? 'content' : null
}

/**
 * Whether the box is sealed by a pause of its conversation after a pause of the space, and all its lines are before the
 * latter. Another pause of the space need not follow, so the box must not wait for one.
 */
function isLate({ cut, utterances }: WindowBox, pausedSeq: number | null): boolean {
  const last = utterances.at(-1)
  return cut === 'pause' && last !== undefined && pausedSeq !== null && last.seq < pausedSeq
}

/** Whether undos have left the box any lines. */
export function hasLines({ utterances }: WindowBox): boolean {
  return utterances.length > 0
}

/** The boxes after an undo of these utterances. A box without lines stays until its window ends. */
export function boxesWithout(undone: readonly string[], boxes: readonly WindowBox[]): readonly WindowBox[] {
  const gone = new Set(undone)
  return boxes.map((box) => ({ ...box, utterances: box.utterances.filter(({ id }) => !gone.has(id)) }))
}
