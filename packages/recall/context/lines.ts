/** The words of lines: an entry after its heading, with its times and author; an event of a timeline. */
import type { ScoredMemory } from '../memory.ts'
import { dayOf } from '../packing/evidence-text.ts'
import type { CurrentEntry } from './current-entries.ts'
import { timesText } from './entry-times.ts'
import type { TitledLine } from './sections.ts'
import type { Timeline } from './timeline.ts'

interface EntryForm {
  readonly author: string | null
  /** Whether lines stand under the titles of their documents, after their headings. */
  readonly isFiled: boolean
  /** Without the day of telling. */
  readonly isShort: boolean
}

export function entryLine(
  { row, times, endedAt, ...entry }: CurrentEntry,
  { author, isFiled, isShort }: EntryForm,
): TitledLine {
  const shown = isShort ? { ...times, saidAt: null } : times
  const when = endedAt === null ? timesText(shown, entry.text) : `until ${dayName(endedAt)}`
  const text = isFiled && row.heading !== '' ? `${row.heading}: ${entry.text}` : entry.text
  return { memory: withNotes({ ...entry, text }, [when, author]), title: isFiled ? row.title : null }
}

/** An event whose text has no year gets the day of its utterance. */
export function timelineLine({ isEnded, ...event }: Timeline['events'][number], title: string): TitledLine {
  const said = event.at === null || /\b\d{4}\b/.test(event.text) ? null : `said ${dayName(event.at)}`
  return { memory: withNotes(event, [said, isEnded ? 'since changed' : null]), title }
}

export function withNotes<T extends ScoredMemory>(memory: T, notes: readonly (string | null)[]): T {
  const given = notes.filter((note) => note !== null)
  return given.length === 0 ? memory : { ...memory, text: `${memory.text} (${given.join(', ')})` }
}

function dayName(at: number): string {
  const { name, year } = dayOf({ at })
  return `${name} ${year}`
}
