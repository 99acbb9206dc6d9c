/**
 * An excerpt of a long utterance: its passages with most words of the question, in their order, as far as they fit, and
 * then those around the best. A passage that is too long is shown in pieces: lines, sentences or, where nothing else
 * divides it, stretches of words. Nothing is reworded, and "…" stands for the passages left out. The utterance stays
 * the evidence that is cited.
 */
import { passagesOf } from '@loomlog/language/passages'
import { lineBreakShown, oneLine } from '@loomlog/schemas/one-line'
import { memoize } from '../text/memoize.ts'
import { stemsOf } from '../text/stems.ts'
import { tokensOf } from '../text/tokens.ts'
import { type Piece, piecesOf } from './pieces.ts'

interface PieceWords extends Piece {
  readonly stems: ReadonlySet<string>
}

interface PassageWords extends PieceWords {
  /** A long code block is not cut as long as it fits. */
  readonly isCode: boolean
}

export interface ExcerptTokens {
  /** Limit of the excerpt, unless its first passage alone is longer. */
  readonly usual: number
  /** Limit of the first passage, if it is code. */
  readonly most: number
}

export interface Excerpt {
  readonly text: string
  /** The sum over its passages: counting the whole text again would take most of the time of packing. */
  readonly tokens: number
}

/** Stands for the passages left out. */
const gap = '…'
const gapTokens = shownTokens(gap)
/** A text of one passage with more characters is shown as an excerpt. */
const longPassageChars = 1_000
/** Passages in a row that don't fit, after which no other one is tried: counting tokens takes most of the time. */
const maxMisses = 8

/** The longest utterance has 64 KB. The cache takes some 15 MB at most. */
const wordsOf = memoize({ total: 2_000_000, longest: 70_000 }, (text): readonly PassageWords[] =>
  passagesOf(text).map(({ text, under }) => {
    const isCode = /^[ \t]*(?:```|~~~)/m.test(text)
    // The lead that a passage stands under is shown with it.
    return { ...withStems({ text: under === '' ? text : `${under}\n${text}`, joint: '\n' }), isCode }
  }),
)

export function isLong(text: string): boolean {
  return text.length > longPassageChars || wordsOf(text).length > 1
}

/** Null: every piece has more tokens than allowed. */
export function excerptOf(
  text: string,
  queryStems: ReadonlySet<string>,
  { usual, most }: ExcerptTokens,
): Excerpt | null {
  const passages = wordsOf(text)
  const isWhole = (passage: PassageWords) => tokensIn(passage) <= (passage.isCode ? most : usual)
  const holding = holders(passages, queryStems)
  // Only a passage that may be shown is cut, because of the time.
  const cut = new Set(
    bestFirst(passages, holding)
      .slice(0, maxMisses)
      .filter((passage) => !isWhole(passage)),
  )
  const pieces = passages.flatMap((passage) => (cut.has(passage) ? piecesIn(passage) : [passage]))
  const chosen = new Set<PieceWords>()
  let used = 0
  let misses = 0
  for (const piece of bestFirst(pieces, holding)) {
    const tokens = tokensIn(piece)
    if (used + tokens > (chosen.size === 0 ? most : usual)) {
      misses += 1
      if (misses === maxMisses) break
      continue
    }
    misses = 0
    chosen.add(piece)
    used += tokens
  }
  return chosen.size === 0 ? null : joined(pieces, chosen, used)
}

/** By word of the question, the passages that have it: a word that few passages have says more. */
function holders(pieces: readonly PieceWords[], queryStems: ReadonlySet<string>): ReadonlyMap<string, number> {
  return new Map([...queryStems].map((stem) => [stem, pieces.filter(({ stems }) => stems.has(stem)).length]))
}

/** Those with most of the question first; then those around the best, as an answer is often beside its words. */
function bestFirst<T extends PieceWords>(pieces: readonly T[], holding: ReadonlyMap<string, number>): readonly T[] {
  const scoreOf = ({ stems }: PieceWords) =>
    [...holding].reduce((sum, [stem, count]) => sum + (stems.has(stem) ? 1 / count : 0), 0)
  const scored = pieces.map((piece, at) => ({ piece, at, score: scoreOf(piece) }))
  const best = scored.reduce((first, each) => (each.score > first.score ? each : first), { at: 0, score: 0 })
  const distance = ({ at }: { readonly at: number }) => Math.abs(at - best.at)
  return scored.sort((a, b) => b.score - a.score || distance(a) - distance(b) || b.at - a.at).map(({ piece }) => piece)
}

function joined(pieces: readonly PieceWords[], chosen: ReadonlySet<PieceWords>, used: number): Excerpt {
  let text = ''
  let gaps = 0
  let isGap = false
  for (const piece of pieces) {
    if (!chosen.has(piece)) {
      if (!isGap) text += text === '' ? gap : `\n${gap}`
      gaps += Number(!isGap)
      isGap = true
      continue
    }
    text += text === '' ? piece.text : `${isGap ? '\n' : piece.joint}${piece.text}`
    isGap = false
  }
  return { text, tokens: used + gapTokens * gaps }
}

function withStems(piece: Piece): PieceWords {
  return { ...piece, stems: new Set(stemsOf(piece.text).counts.keys()) }
}

/** Tokens and pieces are kept with their passages, which the cache keeps. */
const counted = new WeakMap<Piece, number>()
const cutPassages = new WeakMap<PassageWords, readonly PieceWords[]>()

function tokensIn(piece: Piece): number {
  const tokens = counted.get(piece) ?? shownTokens(oneLine(piece.text))
  counted.set(piece, tokens)
  return tokens
}

function piecesIn(passage: PassageWords): readonly PieceWords[] {
  const pieces = cutPassages.get(passage) ?? piecesOf(passage.text).map(withStems)
  cutPassages.set(passage, pieces)
  return pieces
}

/**
 * Passages follow each other on one line, each after a space: most words count one token with it, and a number one
 * more.
 */
function shownTokens(passage: string): number {
  return tokensOf(` ${passage}${lineBreakShown.trimEnd()}`)
}
