/**
 * An excerpt of a long utterance: its passages with most words of the question, in their order, as far as they fit. A passage is never cut,
 * nor reworded, and "…" stands for passages left out. The utterance stays the evidence that is cited.
 */
import { type Passage, passagesOf } from '@loomlog/language/passages'
import { lineBreakShown, oneLine } from '@loomlog/schemas/one-line'
import { memoize } from '../text/memoize.ts'
import { stemsOf } from '../text/stems.ts'
import { tokensOf } from '../text/tokens.ts'

interface PassageWords {
  readonly shown: string
  readonly tokens: number
  readonly stems: ReadonlySet<string>
}

export interface ExcerptTokens {
  /** Limit of the excerpt, unless its first passage alone is longer. */
  readonly usual: number
  /** Limit of the first passage, the best that fits: a long code block is not cut. */
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

/** The cache takes some 15 MB at most. */
const wordsOf = memoize({ total: 2_000_000, longest: 16_000 }, (text): readonly PassageWords[] =>
  passagesOf(text).map(passageWords),
)

export function isLong(text: string): boolean {
  return wordsOf(text).length > 1
}

/** Null: every passage has more tokens than allowed. */
export function excerptOf(
  text: string,
  queryStems: ReadonlySet<string>,
  { usual, most }: ExcerptTokens,
): Excerpt | null {
  const passages = wordsOf(text)
  const holding = new Map([...queryStems].map((stem) => [stem, passages.filter(({ stems }) => stems.has(stem)).length]))
  // A word of the question that few passages have says more.
  const scoreOf = ({ stems }: PassageWords) =>
    [...holding].reduce((sum, [stem, count]) => sum + (stems.has(stem) ? 1 / count : 0), 0)
  const order = [...passages.entries()]
    .map(([at, passage]) => ({ at, tokens: passage.tokens, score: scoreOf(passage) }))
    .sort((a, b) => b.score - a.score || a.at - b.at)
  const chosen: number[] = []
  let used = 0
  for (const { at, tokens } of order) {
    if (used + tokens > (chosen.length === 0 ? most : usual)) continue
    chosen.push(at)
    used += tokens
  }
  return chosen.length === 0
    ? null
    : joined(
        passages,
        chosen.sort((a, b) => a - b),
      )
}

function joined(passages: readonly PassageWords[], chosen: readonly number[]): Excerpt {
  const parts: string[] = []
  let tokens = 0
  let next = 0
  for (const at of chosen) {
    if (at > next) parts.push(gap)
    parts.push(passages[at]?.shown ?? '')
    tokens += passages[at]?.tokens ?? 0
    next = at + 1
  }
  if (next < passages.length) parts.push(gap)
  return { text: parts.join('\n'), tokens: tokens + gapTokens * (parts.length - chosen.length) }
}

/** The lead that a passage stands under is shown with it. */
function passageWords({ text, under }: Passage): PassageWords {
  const shown = under === '' ? text : `${under}\n${text}`
  return { shown, tokens: shownTokens(oneLine(shown)), stems: new Set(stemsOf(shown).counts.keys()) }
}

/** Passages follow each other on one line, each after a space: most words count one token with it, and a number one more. */
function shownTokens(passage: string): number {
  return tokensOf(` ${passage}${lineBreakShown.trimEnd()}`)
}
