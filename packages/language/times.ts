/**
 * Finds expressions of time and makes them absolute, counted from `at`, the time of the utterance, in UTC; there is no
 * clock. chrono reads written dates. Our own rules read relative ones, because chrono misses bare years and reads weeks
 * as days.
 */
import { casual } from 'chrono-node/en'
import { day, month, monthNames, type Span } from './calendar.ts'
import { partialDates } from './partial-dates.ts'
import { relativeTimes } from './relative-times.ts'
import { directionAt, readingAt, type TimeReading } from './time-reading.ts'

export interface TimeExpression {
  readonly index: number
  readonly text: string
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly display: string
}

export interface EventTime {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** For sentences: 7 May 2023, the week of 1 May 2023, 2022. */
  readonly text: string
}

/** A time in a text, with its reading. */
export interface InterpretedTime extends EventTime {
  readonly reading: TimeReading
}

interface Occurrence extends Span {
  readonly index: number
  readonly text: string
  readonly reading: TimeReading
}

type Candidate = Omit<Occurrence, 'reading'>

/** The expressions of time in a text, in order, without overlaps. */
export function findTimes(text: string, at: number): readonly TimeExpression[] {
  return dates(text, at).map(({ index, text, from, to, display }) => ({ index, text, from, to, display }))
}

/** The expressions without habits: `every Monday` is no date. */
function dates(text: string, at: number): readonly Occurrence[] {
  return occurrences(text, at).filter(({ reading }) => reading !== 'habit')
}

/** Rewrites each expression as an absolute date; `when` is the first one's. */
export function resolveTimes(sentence: string, at: number): { text: string; when: EventTime | null } {
  const { text, times } = rewriteTimes(sentence, at, (time) => time.text)
  const when = times.find(({ reading }) => reading === 'date')
  return { text, when: when ? { from: when.from, to: when.to, text: when.text } : null }
}

/**
 * Replaces each expression with the result of `write`, and adds the preposition that English needs: `on` a day, `in` a
 * month, none before a noun (yesterday's meeting) or after another preposition (since last week).
 */
export function rewriteTimes(
  text: string,
  at: number,
  write: (time: InterpretedTime, index: number) => string,
): { text: string; times: readonly InterpretedTime[] } {
  const found = dates(text, at)
  let done = ''
  let next = 0
  for (const [i, occurrence] of found.entries()) {
    const time = readTime(occurrence)
    const before = text.slice(next, occurrence.index)
    const after = text.slice(occurrence.index + occurrence.text.length)
    const genitive = /^'s? (?=[a-z])/.test(after)
    const written = write(time, i)
    const lead = genitive ? (/^the /.test(written) ? '' : 'the ') : leading(occurrence, before, after)
    done += `${before.replace(occurrence.preposition === 'at' ? replacedLeadAt : replacedLead, '')}${lead}${written}`
    next = occurrence.index + occurrence.text.length + (genitive ? (/^'s/.test(after) ? 2 : 1) : 0)
  }
  return { text: done + text.slice(next), times: found.map(readTime) }
}

/** A yearly date has no year. */
function readTime({ from, to, prose, reading }: Occurrence): InterpretedTime {
  return { from, to, text: reading === 'yearly' ? prose.replace(/ \d{4}$/, '') : prose, reading }
}

/** The preposition before the date, if any; with a capital at the beginning of a sentence. */
function leading(occurrence: Occurrence, before: string, after: string): string {
  const starts = before.trim() === '' || /[.!?,;:]\s*$/.test(before)
  const subject = starts && /^(?:'s| is| was| has been)\b/.test(after)
  const ruled = ruling.test(before) && !/^(?:over|on|during) /i.test(occurrence.text)
  if (subject || ruled || occurrence.preposition === '') return ''
  const lead = `${occurrence.preposition} `
  return starts && /^[A-Z]/.test(occurrence.text) ? lead.charAt(0).toUpperCase() + lead.slice(1) : lead
}

/** Words before an expression that the rewriting replaces: `on the` 14th of April. */
const replacedLead = /\b(?:(?:on|in|over|during)\s+)?(?:the\s+)?$/i
const replacedLeadAt = /\b(?:at\s+)?(?:the\s+)?$/i
const ruling =
  /\b(?:since|until|till|by|from|before|after|for|of|to|than|between|around|about|my|our|her|his|like)\s+(?:the\s+)?$/i

const anyTime = new RegExp(
  `\\d|day|\\b(?:mon|tues?|wed|thurs?|fri|sat|sun)\\b|night|week|month|year|decade|summer|winter|spring|fall|autumn|${monthNames.join('|')}|\\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\b|tomorrow|morning|afternoon|evening`,
  'i',
)
/**
 * No expression of a time has such a run. Chrono takes quadratic time for a long number: three seconds for 8,000
 * digits. Other long runs stay, because a text in Chinese or Japanese has no white space.
 */
const longRun = /\d{100,}|\s{100,}/g
/** Neither a word nor the end of a sentence. */
const masking = '|'

function occurrences(whole: string, at: number): readonly Occurrence[] {
  if (!anyTime.test(whole)) return []
  const text = whole.replace(longRun, (run) => masking.repeat(run.length))
  const candidates: Candidate[] = []
  for (const { pattern, span } of [...relativeTimes, ...partialDates]) {
    for (const match of text.matchAll(pattern)) {
      const found = span(match, at, directionAt({ text, index: match.index, length: match[0].length }))
      if (found) candidates.push({ ...found, index: match.index, text: match[0] })
    }
  }
  candidates.push(...writtenDates(text, at))
  candidates.sort((a, b) => a.index - b.index || b.text.length - a.text.length)
  const kept: Candidate[] = []
  for (const each of candidates) {
    const last = kept.at(-1)
    if (!last || each.index >= last.index + last.text.length) kept.push(each)
  }
  return kept.map((each) => ({ ...each, reading: readingAt({ text, index: each.index, length: each.text.length }) }))
}

const monthOrSlash = new RegExp(
  `\\b(?:${monthNames.join('|')}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\b|\\d[/.-]\\d`,
  'i',
)
const bareMonthLeader = /\b(?:in|since|until|till|by|of|from|during|early|late|mid|around|after|before|for)[\s-]+$/i

function writtenDates(text: string, at: number): readonly Candidate[] {
  if (!monthOrSlash.test(text)) return []
  const found: Candidate[] = []
  for (const result of casual.parse(text, { instant: new Date(at), timezone: 0 })) {
    const start = result.start
    if (!start.isCertain('month')) continue
    const certainDay = start.isCertain('day')
    if (!certainDay && !start.isCertain('year') && !bareMonthLeader.test(text.slice(0, result.index))) continue
    let year = start.get('year') ?? 0
    const index = (start.get('month') ?? 1) - 1
    const number = start.get('day') ?? 1
    const spanOf = (of: number) => (certainDay ? day(Date.UTC(of, index, number)) : month(of, index))
    if (!start.isCertain('year')) {
      const way = directionAt({ text, index: result.index, length: result.text.length })
      if (way === 'past' && spanOf(year).from > at) year--
      if (way === 'future' && spanOf(year).to <= at) year++
    }
    found.push({ ...spanOf(year), index: result.index, text: result.text.replace(/(?<![,\s])[,\s]+$/, '') })
  }
  return found
}
