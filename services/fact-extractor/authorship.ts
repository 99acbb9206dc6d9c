/**
 * The lines that a model's fact rests on, and its author, by its words. A model may obey a line that puts words
 * into another person's mouth: it then cites an innocent line of that person. So a citation alone proves
 * nothing.
 *
 * - A line with a name, a number or a date that no cited line has is a source too, and so is a line that has
 *   most words of the fact. So an undo of that line reaches the fact.
 * - The author is that of the cited line, unless another line takes the fact: it has all words that the author's
 *   lines share with the fact, and more, and doesn't say what the fact denies.
 *   - A cited line takes it with most words of the fact, if the author's lines have hardly any, and don't reply to it.
 *   - An uncited line takes it with nearly all words, or, if the author's lines share none, with its names, if it
 *     speaks about the author or in the author's name, or the fact is about a third speaker.
 * - A confirmation such as `yes` right behind the line that takes it keeps the author.
 *
 * Words are compared without inflection. The names of the speakers don't count: every line may address them.
 */
import { isReadByRules, languageOf } from '@loomlog/language/language'
import { terms } from '@loomlog/language/terms'
import type { SpokenLine } from './fact-evidence.ts'
import { denies, isAbout, isAnswered, isConfirmed, speakerFirstIn } from './replies.ts'

export interface Citation {
  readonly text: string
  /** Ids of the cited lines. */
  readonly sources: readonly string[]
  /** Ids of uncited lines with its names, numbers and dates. */
  readonly inferredFrom: readonly string[]
  /** The cited line that counts as saying it. */
  readonly said: SpokenLine
}

export interface Authorship {
  readonly author: SpokenLine
  /** Whether the author's lines have some of its words, or confirm a line that has them: no model made them up. */
  readonly isAuthorsWord: boolean
  readonly sources: readonly string[]
}

/** @param lines all lines of the window, and those before it */
export function authorshipOf(
  { text, sources, inferredFrom, said }: Citation,
  lines: readonly SpokenLine[],
  participants: readonly string[],
): Authorship {
  const names = new Set(terms(participants.join(' ')))
  const content = contentWords(text).filter((word) => !names.has(word))
  const spoken = new Map(lines.map((line) => [line, new Set(terms(line.text))]))
  const has = (line: SpokenLine, word: string) => spoken.get(line)?.has(word) === true
  const share = (line: SpokenLine) => content.filter((word) => has(line, word))
  const isCited = ({ id }: SpokenLine) => sources.includes(id)
  const own = lines.filter((line) => line.speaker === said.speaker && isCited(line))
  const ownWords = content.filter((word) => own.some((line) => has(line, word)))
  const subject = speakerFirstIn(text, participants)
  const takesCited = (line: SpokenLine, words: readonly string[]) =>
    isPart(words, content, 1 / 2) && !isPart(ownWords, content, 1 / 4) && !isAnswered(line, { own, lines, subject })
  const takesUncited = (line: SpokenLine, words: readonly string[]) =>
    (isPart(words, content, 3 / 4) || (ownWords.length === 0 && inferredFrom.includes(line.id))) &&
    isAbout(line, said.speaker, subject)
  const takes = (line: SpokenLine) => {
    const words = share(line)
    const hasMore = words.length > ownWords.length && ownWords.every((word) => words.includes(word))
    if (!hasMore || denies(text, line.text)) return false
    return isCited(line) ? takesCited(line, words) : takesUncited(line, words)
  }
  const others = lines.filter((line) => !own.includes(line))
  const origin = most(others.filter(takes), (line) => share(line).length)
  const isAgreed = origin !== null && isConfirmed(origin, own, lines)
  const isAuthor = origin === null || origin.speaker === said.speaker || isAgreed
  const isOwnWord = ownWords.length >= leastWords || ownWords.length * 3 >= content.length
  const cited = [...sources, ...inferredFrom]
  const found = origin === null ? cited : isAuthor ? [...cited, origin.id] : [origin.id, ...cited]
  const further = isReadByRules(languageOf(text, null))
    ? others.filter((line) => isPart(share(line), content, 1 / 2))
    : []
  const missing = content.filter((word) => !lines.some((line) => found.includes(line.id) && has(line, word)))
  const adds = further.filter((line) => share(line).filter((word) => missing.includes(word)).length >= leastWords)
  return {
    author: isAuthor ? said : origin,
    isAuthorsWord: !isAuthor || isAgreed || isOwnWord,
    sources: [...new Set([...found, ...adds.map(({ id }) => id)])],
  }
}

/** Without forms of function words, such as `owns`. */
export function contentWords(text: string): readonly string[] {
  return [...new Set(terms(text))].filter((word) => terms(word).length > 0)
}

/** Words that a further source adds: a single one may be chance. */
const leastWords = 2

function isPart(words: readonly string[], content: readonly string[], least: number): boolean {
  return words.length >= content.length * least
}

/** The first item with the highest count; null: there are no items. */
function most<T>(items: readonly T[], countOf: (item: T) => number): T | null {
  return items.reduce<T | null>((best, each) => (best !== null && countOf(best) >= countOf(each) ? best : each), null)
}
