/**
 * Checks the words of a fact against its evidence (TriMem): its names, numbers and dates are in the lines that it
 * cites. A word is inferred if only another line of the window has it, a line before, or the name of an earlier
 * speaker, and a date if a line can mean it. Any other word is missing: an invention.
 *
 * Names are words with a capital within an English text, and the persons of a fact; other languages use capitals
 * differently or not at all.
 */
import { monthNames, weekdayNames } from '@loomlog/language/calendar'
import { isReadByRules, languageOf } from '@loomlog/language/language'
import type { FactKind, FactRecorded, InferredWord, Role } from '@loomlog/schemas/events'
import { type DateParts, lineMeaning } from './date-evidence.ts'
import { datesOf, numbersOf, rootOf, wordsOf, writtenNumbers } from './text-values.ts'

export type Statement = Pick<FactRecorded, 'text' | 'subject' | 'persons' | 'when'>

export interface Grounding {
  readonly inferred: readonly InferredWord[]
  readonly missing: readonly string[]
}

export interface EvidenceLine {
  /** Of its utterance. */
  readonly id: string
  readonly at: number
  readonly speaker: string
  /** With the descriptions of its attachments. */
  readonly text: string
}

export interface SpokenLine extends EvidenceLine {
  readonly role: Role
  readonly saidAt: number
  readonly conversation: string
  /** Its place in the conversation. Lines before the window have negative ones. */
  readonly place: number
}

export interface Evidence<Line extends EvidenceLine = EvidenceLine> {
  /** The lines that a fact cites; at least one. */
  readonly cited: readonly Line[]
  /** The other lines of the window, and those before it. */
  readonly others: readonly Line[]
  /** Of the conversation and its speakers, earlier ones too: a line says "you" to a person who spoke long before. */
  readonly names: readonly string[]
}

/** The line that a date of a fact comes from. */
export type DateLine = (date: DateParts, evidence: Evidence) => EvidenceLine | undefined

/**
 * The line that can mean a date, which a model has counted. Times are read in English only, so a cited line in another
 * language can mean any.
 *
 * @param kind of the fact, if the date is its own time
 */
export function lineOfDate(
  date: DateParts,
  { cited, others }: Evidence,
  kind: FactKind | null = null,
): EvidenceLine | undefined {
  return lineMeaning(date, cited, kind) ?? lineMeaning(date, [...cited, ...others], kind) ?? cited.find(isForeign)
}

export function isForeign({ text }: EvidenceLine): boolean {
  return !isReadByRules(languageOf(text, null))
}

/** Something to look for in a line. */
interface Sought {
  readonly word: string
  /** Below 100: a line in another language may spell it out. */
  readonly isSmallNumber: boolean
  isIn(line: LineWords): boolean
}

export function groundingOf(fact: Statement, evidence: Evidence, dateLine: DateLine): Grounding {
  const { cited, others, names } = evidence
  const named = wordsIn(names.join(' '))
  const foreign = cited.find(isForeign)
  const inferred: InferredWord[] = []
  const missing: string[] = []
  const note = (word: string, from: string | undefined) => {
    if (from === undefined) missing.push(word)
    else inferred.push({ word, from })
  }
  const near = cited.map(lineWords)
  for (const sought of soughtIn(fact, !cited.every(isForeign))) {
    if (near.some((line) => sought.isIn(line))) continue
    const speaker = sought.isIn(named) && !sought.isSmallNumber ? cited[0]?.id : undefined
    const spelled = sought.isSmallNumber ? foreign?.id : undefined
    note(sought.word, others.find((line) => sought.isIn(lineWords(line)))?.id ?? speaker ?? spelled)
  }
  for (const { words, date } of datesIn(fact)) {
    const untold = words.filter((word) => !near.some((line) => line.words.has(word)))
    if (untold.length === 0) continue
    const line = dateLine(date, evidence)
    // May and April are also persons.
    const naming = (word: string) =>
      date.day === null && date.year === null ? others.find((each) => lineWords(each).words.has(word))?.id : undefined
    for (const word of untold) note(word, line?.id ?? naming(word))
  }
  return { inferred: unique(inferred), missing: [...new Set(missing)] }
}

function unique(words: readonly InferredWord[]): readonly InferredWord[] {
  return [...new Map(words.map((each) => [each.word, each])).values()]
}

interface LineWords {
  readonly words: ReadonlySet<string>
  readonly roots: ReadonlySet<string>
  readonly numbers: ReadonlySet<number>
  /**
   * The first letters of its words in a row, `qas` for `quality assurance since`, then those of letters that stand
   * apart: ` hb ` for `h b`.
   */
  readonly initials: string
}

/** Every fact of a window is compared with the same lines. */
const wordsByLine = new WeakMap<EvidenceLine, LineWords>()

function lineWords(line: EvidenceLine): LineWords {
  const found = wordsByLine.get(line) ?? wordsIn(`${line.speaker}: ${line.text}`)
  wordsByLine.set(line, found)
  return found
}

function wordsIn(text: string): LineWords {
  const words = wordsOf(text)
  return {
    words: new Set(words),
    roots: new Set(words.map(rootOf)),
    numbers: new Set(numbersOf(text)),
    initials: `${words.map((word) => word[0] ?? '').join('')} ${lettersApart(words)}`,
  }
}

/** `h b is 9` is ` hb `. Two letters of longer words stand for too much. */
function lettersApart(words: readonly string[]): string {
  const letters = words.map((word) => (/^\p{L}$/u.test(word) ? word : ' ')).join('')
  return ` ${letters} `
}

/** @param isEnglish whether some cited line is: a name that is translated can't be compared */
function soughtIn(fact: Statement, isEnglish: boolean): readonly Sought[] {
  const bare = withoutDates(fact.text)
  const isCompared = isEnglish && isReadByRules(languageOf(fact.text, null))
  const persons = fact.persons.flatMap((person) => person.match(/[\p{L}\p{N}]+/gu) ?? [])
  const versions = (bare.match(/(?<![\p{L}\p{N}])\p{L}{1,3}\d+(?![\p{L}\p{N}])/gu) ?? []).filter(
    (each) => !calendar.has(each.toLowerCase()),
  )
  const names = [...(isCompared ? capitalised(bare, fact.subject) : []), ...persons, ...versions]
  return [...[...new Set(names)].map(soughtName), ...numbersSought(bare)]
}

const acronym = /^\p{Lu}{2,5}$/u

/**
 * A longer name counts as found where a word begins like it, contains it, or is its beginning; an acronym where words
 * have its letters.
 */
function soughtName(name: string): Sought {
  const word = name.toLowerCase()
  const root = rootOf(word)
  const isLike = (each: string) => each.includes(word) || (each.length > 4 && word.startsWith(each))
  const isIn = ({ words, roots, initials }: LineWords) =>
    words.has(word) ||
    roots.has(root) ||
    (word.length > 3 && [...words].some(isLike)) ||
    (acronym.test(name) && initials.includes(word.length > 2 ? word : ` ${word} `))
  return { word, isSmallNumber: false, isIn }
}

function numbersSought(text: string): readonly Sought[] {
  // The digits of `A1` and `v12` belong to names.
  const written = writtenNumbers(text.replaceAll(/(?<=\p{L})\d+/gu, ' ')).map(({ written: word, readings }) => ({
    word,
    isSmallNumber: readings.every((each) => each < smallNumber),
    isIn: ({ numbers }: LineWords) => readings.some((each) => numbers.has(each)),
  }))
  const spelled = wordsOf(text)
    .filter((word) => countedNumerals.has(word))
    .map((word) => ({
      word,
      isSmallNumber: true,
      isIn: ({ numbers, words }: LineWords) => words.has(word) || numbersOf(word).some((each) => numbers.has(each)),
    }))
  return [...written, ...spelled]
}

const smallNumber = 100

/** Without `one` and `two`, which a line hardly ever has as a number: two persons are the two that a line names. */
const countedNumerals = new Set(
  'three four five six seven eight nine ten eleven twelve fifteen twenty thirty'.split(' '),
)

const calendar = new Set(
  [...monthNames, ...weekdayNames, ...weekdayNames.map((name) => `${name}s`), 'Q1', 'Q2', 'Q3', 'Q4'].map((name) =>
    name.toLowerCase(),
  ),
)
const noNames = new Set(
  `i the a an this that these those it its in on at by for of to from with and or not no all both each every existing current new old if
  when while as after before since until one somebody someone nobody everybody everyone anybody nothing`.split(/\s+/),
)

/** The words with a capital, as written, except those that have it at the beginning of a sentence. */
function capitalised(text: string, subject: string): readonly string[] {
  const words = text.replaceAll(/['’]s\b/gu, '').matchAll(/[\p{L}\p{N}]+/gu)
  return [...words].flatMap(({ 0: token, index }) => {
    const word = token.toLowerCase()
    if (!/^\p{Lu}/u.test(token) || noNames.has(word) || calendar.has(word)) return []
    const isSubject = index === 0 && text.startsWith(subject) && isNamed(subject)
    return opensSentence.test(text.slice(0, index)) && !isSubject ? [] : [token]
  })
}

const opensSentence = /(?:^|[.!?:]\s+)["'“‘(]*$/

/** Whether a subject begins with a name: it is one word, or a name of two, or owns something; `The workshop` is not. */
function isNamed(subject: string): boolean {
  return !subject.includes(' ') || /^\S+ \p{Lu}\p{Ll}|^\S+['’]s\b/u.test(subject)
}

function withoutDates(text: string): string {
  return datesOf(text)
    .toSorted((a, b) => b.index - a.index)
    .reduce((rest, { index, text: said }) => `${rest.slice(0, index)} ${rest.slice(index + said.length)}`, text)
    .replaceAll(bareYear, ' ')
}

/** `2026.2.0` is a version. */
const bareYear = /\b(?:19|20)\d\d\b(?!\p{L}|\.\d)/gu

/** The dates of the text and of its time, with their words. A bare year is one as well. */
function datesIn({
  text,
  when,
}: Statement): readonly { readonly words: readonly string[]; readonly date: DateParts }[] {
  const all = `${text}\n${when?.text ?? ''}`
  const dates = datesOf(all)
  const rest = dates.reduce((left, { text: said }) => left.replace(said, ' '), all)
  const years = [...rest.matchAll(bareYear)].map(([year]) => ({
    text: year,
    year: Number(year),
    month: null,
    day: null,
  }))
  return [...dates, ...years].map((date) => ({ words: wordsOf(date.text), date }))
}
