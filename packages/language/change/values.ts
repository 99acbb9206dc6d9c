/** The values in a sentence that a later statement can change: amounts with their unit, dates and times of day. */
import { monthNames, weekdayNames } from '../calendar.ts'

export interface Value {
  /** `money`, `%`, `date`, `clock`, `number`, or the counted noun. Values of one kind replace each other. */
  readonly kind: string
  readonly text: string
}

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const ordinals =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth'.split(
    ' ',
  )
const tenOrdinals = [...tens.map((word) => word.replace(/y$/, 'ieth'))].slice(0, 2)
const cardinal = new Map([
  ...small.map((word, i) => [word, i] as const),
  ...tens.map((word, i) => [word, 10 * (i + 2)] as const),
])
const ordinal = new Map([
  ...ordinals.map((word, i) => [word, i + 1] as const),
  ...tenOrdinals.map((word, i) => [word, 10 * (i + 2)] as const),
])
const compound = new RegExp(
  `\\b(?:(${tens.join('|')})[ -])?(${[...cardinal.keys(), ...ordinal.keys()].join('|')})\\b`,
  'gi',
)

/** Number words as digits: `Twenty-two employees` → `22 employees`. */
export function withDigits(text: string): string {
  return text
    .replaceAll('’', "'")
    .replace(compound, (_, ten: string | undefined, unit: string) => {
      const before = cardinal.get(ten?.toLowerCase() ?? '') ?? 0
      const word = unit.toLowerCase()
      const place = ordinal.get(word)
      return place === undefined ? `${before + (cardinal.get(word) ?? 0)}` : withEnding(before + place)
    })
    .replace(/(?<=\d),(?=\d{3}\b)/g, '')
}

/** `1st`, `12th`, `22nd` */
function withEnding(place: number): string {
  const ending = place > 10 && place < 20 ? undefined : ['', 'st', 'nd', 'rd'][place % 10]
  return `${place}${ending || 'th'}`
}

const month = `(?:${monthNames.join('|')}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)`.toLowerCase()
const weekday = `(?:${weekdayNames.join('|')}|mon|tues?|weds?|thurs?|fri)`.toLowerCase()
const dates = new RegExp(
  `\\b(?:\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${month}(?! i\\b)|${month} \\d{1,2}(?:st|nd|rd|th)?|\\d{1,2}(?:st|nd|rd|th)(?! (?!of|at|in|and|or|not|instead|now|for|because|if|too|please|same|as|then|it|to|with|the|i|we|on|is)[a-z])|${weekday}s?|tomorrow|next (?:week|month|year)|(?:in|from|until|till|by|to) ${month}|\\d{4}-\\d\\d-\\d\\d)\\b`,
  'g',
)
const clocks =
  /\b(?:\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|o'clock)|\d{1,2}:\d\d|(?:at|past|after|before) (?:half )?\d{1,2}(?:\.\d\d)?\b(?!:\d| (?:of|euros?|dollars?|pounds?|%|[a-z]+s\b)))/g
const money = /^(?:€|\$|£|k|euros?|dollars?|pounds?|quid|bucks|cents?|francs?|usd|eur|gbp)$/
const amount =
  /(?<![\w.-])(?<sign>[€$£])?(?!\d+(?:st|nd|rd|th)\b)(?<number>\d[\d.]*)(?![\d.]*-\d)(?<k>k\b)?[ -]?(?<unit>%|[€$£]|percent\b|degrees\b|[a-z][a-z-]*)?/g
const noUnit =
  /^(?:ago|later|earlier|before|after|and|or|of|to|in|on|at|for|with|from|until|by|is|are|was|the|a|an|out|so|but|not|then|now|st|nd|rd|th|am|pm|each|per|please|more|these|today|here|instead|because|since|as|i|we|he|she|it|they|down|up|again)$/
const duration = /^(?:minute|min|hour|day|week|month|year|second)s?$/

/** The characters from a number on that are searched for `2 weeks ago`, which is no amount. */
const maxSpanChars = 40

/** The dates in a normalized text. */
function datesIn(text: string): readonly string[] {
  return [...text.matchAll(dates)].map(([date]) => date.replace(/^(?:in|from|until|till|by|to) /, ''))
}

function clocksIn(text: string): readonly string[] {
  return [
    ...text
      .replace(/\bnoon\b/g, '12:00')
      .replace(/\bmidnight\b/g, '0:00')
      .matchAll(clocks),
  ].map(([clock]) =>
    clock
      .replace(/^(?:at|past|after|before) /, '')
      .replace('.', ':')
      .replace(/:00|\s/g, ''),
  )
}

/** All values of a normalized text. */
export function valuesIn(text: string): readonly Value[] {
  return [
    ...amountsIn(text),
    ...datesIn(text).map((date) => ({ kind: 'date', text: date })),
    ...clocksIn(text).map((clock) => ({ kind: 'clock', text: clock })),
  ]
}

/** The amounts in a normalized text, without the numbers of dates and times of day. */
function amountsIn(text: string): readonly Value[] {
  const undated = text.replace(dates, ' ').replace(clocks, ' ')
  const numbered = [...text.matchAll(numberedThing)].map(({ groups }) => ({
    kind: groups?.['before'] ?? groups?.['after'] ?? '',
    text: groups?.['number'] ?? groups?.['ordinal'] ?? '',
  }))
  const isFree = /\b(?:is|are) (?:now )?free(?: now| again)?(?:[.!,]|$| of charge| for\b)/.test(text)
  return [
    ...numbered,
    ...(isFree ? [{ kind: 'money', text: '0' }] : []),
    ...plainAmounts(undated.replace(numberedThing, ' ')),
  ]
}

/** `chapter 4`, `the 3rd floor` */
const numberedThing =
  /\b(?<before>chapter|room|board|bed|spot|seat|gate|version|step|table|track|level|unit|floor|platform)s? (?<number>\d+)\b|\b(?<ordinal>\d+)(?:st|nd|rd|th) (?<after>floor|row|place|level)\b/g

function plainAmounts(undated: string): readonly Value[] {
  return [...undated.matchAll(amount)].flatMap(({ groups, index }) => {
    const { sign, number = '', k = '', unit = '' } = groups ?? {}
    if (/^\S+ \w+ (?:ago|later|earlier)\b/.test(undated.slice(index, index + maxSpanChars))) return []
    const isMoney = sign !== undefined || k !== '' || money.test(unit)
    const digits = `${number.replace(/\.$/, '')}${k}`
    return [{ kind: isMoney ? 'money' : kindOf(unit), text: digits }]
  })
}

function kindOf(unit: string): string {
  if (unit === '' || noUnit.test(unit)) return 'number'
  if (unit === 'percent') return '%'
  return unit.replace(duration, (word) => word.replace(/s$/, '')).replace(/(?<=\w{3})s$/, '')
}

/** Whether two dates can be the same day: `the 16th` and `16 april`, `2026-04-16` and `16 april`, `wed` and `wednesday`. */
export function isSameDate(one: string, other: string): boolean {
  const [a, b] = [dateParts(one), dateParts(other)]
  if (a.weekday !== '' || b.weekday !== '') return a.weekday === b.weekday
  const isOpen = (part: 'year' | 'month' | 'day') => a[part] === '' || b[part] === ''
  const isEqual = (part: 'year' | 'month' | 'day') => a[part] === b[part]
  const canBe = (['year', 'month', 'day'] as const).every((part) => isOpen(part) || isEqual(part))
  return canBe && (isEqual('day') || isEqual('month'))
}

function dateParts(date: string) {
  const [, year = '', index = ''] = /^(\d{4})-(\d\d)-/.exec(date) ?? []
  const written = /[a-z]{3,}/.exec(date)?.[0] ?? monthNames[Number(index) - 1]?.toLowerCase() ?? ''
  const name = written.slice(0, 3)
  const isMonth = name !== '' && monthNames.some((each) => each.toLowerCase().startsWith(name))
  const day = /0?(\d{1,2})(?:st|nd|rd|th)?(?: |$)/.exec(date)?.[1] ?? ''
  return { year, month: isMonth ? name : '', day, weekday: isMonth ? '' : name }
}
