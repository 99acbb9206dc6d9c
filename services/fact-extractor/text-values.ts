/**
 * The words, numbers and dates of a text, as far as one text can be compared with another: `8k` is 8 and 8000, `three`
 * is 3, `19:30` and `half seven` share 7 and 30.
 */
import { monthNames } from '@loomlog/language/calendar'

/** A date, as exact as its text. Months count from 1. */
export interface ToldDate {
  readonly year: number | null
  readonly month: number | null
  readonly day: number | null
  /** Its place in the text. */
  readonly index: number
  readonly text: string
}

/** In lower case, without a genitive's ending. */
export function wordsOf(text: string): readonly string[] {
  return [...text.replaceAll(/['’]s\b/gu, '').matchAll(/[\p{L}\p{N}]+/gu)].map(([word]) => word.toLowerCase())
}

/** A crude stem, so that forms of a word are equal: `Portuguese` and `Portugal`. */
export function rootOf(word: string): string {
  return word.length > 4 ? word.slice(0, Math.max(4, word.length - 3)) : word
}

const numerals: { readonly [word: string]: number } = Object.fromEntries(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
  twenty`
    .split(/\s+/)
    .map((word, number) => [word, number]),
)
const otherNumerals: { readonly [word: string]: number } = {
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
  hundred: 100,
  thousand: 1000,
  first: 1,
  second: 2,
  third: 3,
  once: 1,
  twice: 2,
  dozen: 12,
  couple: 2,
  noon: 12,
  midday: 12,
}
/** Also in times: half past six, quarter to seven. */
const parts: { readonly [word: string]: readonly number[] } = { half: [0.5, 30], quarter: [0.25, 15, 45] }
const multiples: { readonly [word: string]: number } = { hundred: 100, thousand: 1_000, million: 1_000_000 }

/** Every reading of every number. */
export function numbersOf(text: string): readonly number[] {
  return [...writtenNumbers(text).flatMap(({ readings }) => readings), ...spelledNumbers(text)]
}

/** The numbers in digits, each with its readings: `1.200` is 1.2 and 1200. */
export function writtenNumbers(
  text: string,
): readonly { readonly written: string; readonly readings: readonly number[] }[] {
  const found = [...text.matchAll(/\d+(?:[.,'’ ]\d{3}(?!\d))*(?:[.,]\d+)?/g)]
  const told = found.filter(({ 0: written, index }) => !(written === '00' && text[index - 1] === ':'))
  return told.map(({ 0: written, index }) => {
    const plain = written.replaceAll(/[,'’ ](?=\d{3}(?!\d))/g, '')
    const joined = written.replaceAll(/[.,'’ ](?=\d{3}(?!\d))/g, '')
    const readings = [plain, joined].map((each) => Number(each.replace(',', '.'))).filter(Number.isFinite)
    const after = text.slice(index + written.length)
    if (/^\s?k\b/i.test(after)) readings.push(...readings.map((each) => each * 1_000))
    if (/^\s?(?:m|million)\b/i.test(after)) readings.push(...readings.map((each) => each * 1_000_000))
    if (/^(?::\d\d)?\s?p\.?m\b/i.test(after)) readings.push(...readings.map((each) => each + 12))
    if (/^:\d\d\b/.test(after)) readings.push(...readings.filter((each) => each > 12).map((each) => each - 12))
    return { written, readings: [...new Set(readings)] }
  })
}

function spelledNumbers(text: string): readonly number[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? []
  return words.flatMap((word, at) => {
    const number = numerals[word] ?? otherNumerals[word]
    if (number === undefined) return parts[word] ?? []
    const decimal = words[at + 1] === 'point' ? numerals[words[at + 2] ?? ''] : undefined
    if (decimal !== undefined) return [number, Number(`${number}.${decimal}`)]
    const times = multiples[words[at + 1] ?? '']
    const unit = numerals[words[at + 1] ?? '']
    if (times !== undefined) return [number, number * times]
    return number >= 20 && number < 100 && unit !== undefined && unit < 10 ? [number, number + unit] : [number]
  })
}

const month = `(?<month>${monthNames.join('|')}|${monthNames.map((name) => `${name.slice(0, 3)}\\b`).join('|')}|Sept\\b)\\.?`
const dayNumber = '(?<day>\\d{1,2})(?!\\d)(?:st|nd|rd|th)?'
const yearNumber = '(?<year>(?:19|20)\\d\\d)'
const patterns = [
  String.raw`(?<year>(?:19|20)\d\d)-(?<number>\d\d)(?:-(?<day>\d\d))?`,
  // The first day of `6 and 7 June`; the next form finds the second one.
  String.raw`\b${dayNumber}(?= ?(?:and|to|until|or|-|–|,) ?(?:the )?\d{1,2}(?:st|nd|rd|th)? (?:of )?${month})`,
  String.raw`\b${dayNumber}\.? (?:of )?${month}(?:,? ${yearNumber})?`,
  String.raw`\b${month} (?:the )?${dayNumber}(?:,? ${yearNumber})?`,
  String.raw`\b${month},? (?:of )?${yearNumber}`,
].map((source) => new RegExp(source, 'giu'))
/** `May` and `March` are months only with a capital. */
const monthAlone = new RegExp(String.raw`\b(?<month>${monthNames.join('|')})\b`, 'gu')

/** The dates that are written with the name of a month, or in ISO form. */
export function datesOf(text: string): readonly ToldDate[] {
  const found: ToldDate[] = []
  for (const pattern of [...patterns, monthAlone]) {
    for (const { 0: said, index, groups = {} } of text.matchAll(pattern)) {
      if (found.some((each) => index < each.index + each.text.length && each.index < index + said.length)) continue
      const { number, month: name, day, year } = groups
      const ofYear = number === undefined ? monthNumber(name ?? '') : Number(number)
      found.push({ year: numeric(year), month: ofYear, day: numeric(day), index, text: said })
    }
  }
  return found
}

function monthNumber(name: string): number {
  return monthNames.findIndex((each) => each.slice(0, 3).toLowerCase() === name.slice(0, 3).toLowerCase()) + 1
}

function numeric(text: string | undefined): number | null {
  return text === undefined ? null : Number(text)
}
