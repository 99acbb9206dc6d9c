/** The values in a sentence that a later statement can change: amounts with their unit, dates and times of day. */
import { monthNames, weekdayNames } from '../calendar.ts'

export interface Amount {
  readonly number: string
  /** `money`, `%`, or the word after the number; empty: none. */
  readonly unit: string
}

const units =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen'.split(' ')
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const ordinals =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth'.split(
    ' ',
  )
const byWord = new Map<string, string>([
  ...units.map((word, i) => [word, String(i)] as const),
  ...tens.map((word, i) => [word, String(10 * (i + 2))] as const),
  ...ordinals.map((word, i) => [word, `${i + 1}th`] as const),
  ['twentieth', '20th'],
  ['thirtieth', '30th'],
])
const numberWord = new RegExp(`\\b(?:${[...byWord.keys()].join('|')})\\b`, 'gi')

/** The text in lower case, with numbers as digits: `two employees` → `2 employees`. */
export function normalized(text: string): string {
  return text
    .replace(numberWord, (word) => byWord.get(word.toLowerCase()) ?? word)
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/(?<=\d),(?=\d{3}\b)/g, '')
}

const month = `(?:${monthNames.join('|')}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)`
const dates = new RegExp(
  `\\b(?:\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${month}|${month} \\d{1,2}(?:st|nd|rd|th)?|\\d{1,2}(?:st|nd|rd|th)|${weekdayNames.join('|')}|tomorrow|next (?:week|month|year)|(?:in|from|until|by) ${month}|\\d{4}-\\d\\d-\\d\\d)\\b`,
  'gi',
)
const times = /\b(?:\d{1,2}(?::\d\d)? ?(?:am|pm)|\d{1,2}:\d\d|(?:at|past|after|before) \d{1,2}\b(?! [a-z]))/g
const money = /^(?:€|\$|£|k|euros?|dollars?|pounds?|quid|bucks|cents?|francs?|usd|eur|gbp)$/
const amount = /(?<![\w.-])(?<sign>[€$£])?(?<number>\d[\d.]*)(?<k>k\b)? ?(?<unit>%|[€$£]|[a-z][a-z-]*)?/g
const noUnit =
  /^(?:ago|later|earlier|before|after|and|or|of|to|in|on|at|for|with|from|until|by|is|are|was|the|a|an|out|so|but|not|then|now|st|nd|rd|th|am|pm)$/

/** `2 weeks ago` is no amount. */
const maxSpanChars = 40

/** The dates in a normalized text. */
export function datesIn(text: string): readonly string[] {
  return [...text.matchAll(dates)].map(([date]) => date)
}

export function hasTime(text: string): boolean {
  return datesIn(text).length > 0 || text.search(times) >= 0
}

/** The amounts in a normalized text, without the numbers of dates and times of day. */
export function amountsIn(text: string): readonly Amount[] {
  const undated = text.replace(dates, ' ').replace(times, ' ')
  return [...undated.matchAll(amount)].flatMap(({ groups, index }) => {
    const { sign, number = '', k = '', unit = '' } = groups ?? {}
    if (/^\S+ \w+ (?:ago|later|earlier)\b/.test(undated.slice(index, index + maxSpanChars))) return []
    const isMoney = sign !== undefined || k !== '' || money.test(unit)
    const plain = noUnit.test(unit) ? '' : unit.replace(/(?<=\w{3})s$/, '')
    return [{ number: `${number.replace(/\.$/, '')}${k}`, unit: isMoney ? 'money' : plain }]
  })
}
