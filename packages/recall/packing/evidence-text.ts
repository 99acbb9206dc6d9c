/**
 * Evidence as a text to be read: a heading for each day and one line for each item, in the order of time. A line begins
 * with the number of its item, which serves as citation. No text and no speaker begins another line, or passes for
 * another speaker. The heading of a year's first day names the year, and replaced and retracted memories are marked.
 */
import { oneLine, spokenLine } from '@loomlog/schemas/one-line'
import type { ScoredMemory } from '../memory.ts'
import { withoutSpeaker } from '../search/wording.ts'
import { withoutInterjections } from './shorten-utterance.ts'

type Line = Pick<ScoredMemory, 'kind' | 'speaker' | 'text' | 'replacedBy' | 'outdated' | 'retractedBy' | 'ended'>
type Moment = Pick<ScoredMemory, 'at'>

/** @param first the number of the first item */
export function evidenceText(items: readonly (Moment & Line)[], first = 1): string {
  let text = ''
  let last: Day | null = null
  for (const [at, item] of items.entries()) {
    const day = dayOf(item)
    if (day.name !== last?.name || day.year !== last.year) text += heading(day, last?.year ?? null)
    last = day
    text += evidenceLine(first + at, item)
  }
  return text
}

export function evidenceLine(number: number, item: Line): string {
  return `${number} ${onOneLine({ ...item, text: withMarks(item) })}\n`
}

/** The text of an utterance begins with its speaker. */
function onOneLine(item: Pick<Line, 'kind' | 'speaker' | 'text'>): string {
  const words = item.kind === 'utterance' ? withoutSpeaker(item) : item.text
  return words === item.text ? oneLine(words) : spokenLine(item.speaker, words)
}

const changed = ' (since changed)'
const partlyOutdated = ' (partly outdated)'

/** The text with a mark after it, or after each outdated sentence that it shows: a shortened text lacks some. */
export function withMarks({ text, replacedBy, outdated, retractedBy, ended }: Omit<Line, 'kind' | 'speaker'>): string {
  if (retractedBy) return `${text} (retracted)`
  if (ended !== undefined) return `${text}${ended === 'all' ? changed : partlyOutdated}`
  if (!replacedBy) return text
  if (outdated === undefined) return `${text}${changed}`
  return outdated.reduce((all, sentence) => {
    const shown = all.includes(sentence) ? sentence : withoutInterjections(sentence)
    return shown === '' ? all : all.replaceAll(shown, () => `${shown}${changed}`)
  }, text)
}

export interface Day {
  readonly name: string
  /** Empty for the day of undated items. */
  readonly year: string
}

/** @param yearBefore the year of the last heading, which is not repeated */
export function heading({ name, year }: Day, yearBefore: string | null): string {
  return year === '' || year === yearBefore ? `${name}\n` : `${name} ${year}\n`
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const dayMs = 86_400_000
/** Formatted days in the cache, some 27 years. Formatting is slow. */
const maxCachedDays = 10_000
const undated: Day = { name: 'undated', year: '' }
const cache = new Map<number, Day>()

export function dayOf({ at }: Moment): Day {
  if (at === null) return undated
  const number = Math.floor(at / dayMs)
  const cached = cache.get(number)
  if (cached) return cached
  const day = { name: dayFormat.format(at), year: String(new Date(at).getUTCFullYear()) }
  if (cache.size >= maxCachedDays) cache.clear()
  cache.set(number, day)
  return day
}
