/**
 * The times of an entry that holds. A beginning or an end is stated if a statement has its date, or a correction does.
 * Any other one is only the time at which someone spoke, and the entry may have held long before.
 */
import type { EntryRow } from '@loomlog/views/tables/entries'
import type { UtteranceRow } from '@loomlog/views/tables/utterances'
import { dayOf } from '../packing/evidence-text.ts'

export interface EntryTimes {
  /** The stated times; null: there is none. `isToCome`: it begins after the moment of the request. */
  readonly from: { readonly at: number; readonly isToCome: boolean } | null
  readonly until: number | null
  /** The time of its newest utterance by the moment of the request. */
  readonly saidAt: number | null
}

interface Holding {
  readonly row: EntryRow
  /** The entry that replaces it later. */
  readonly successor: EntryRow | undefined
  /** The utterances and corrections that each cites. */
  readonly cited: { readonly entry: readonly UtteranceRow[]; readonly successor: readonly UtteranceRow[] }
}

export function entryTimes({ row, successor, cited }: Holding, moment: number): EntryTimes {
  const from = statedTime(row.validFrom, row, cited.entry)
  const said = cited.entry.flatMap(({ at }) => at ?? []).filter((at) => at <= moment)
  return {
    from: from === null ? null : { at: from, isToCome: from > moment },
    until: statedTime(row.validTo, successor, cited.successor),
    saidAt: said.length === 0 ? null : Math.max(...said),
  }
}

/** The time, if the statement of the entry tells it, or a correction that it cites. */
function statedTime(time: number | null, entry: EntryRow | undefined, cited: readonly UtteranceRow[]): number | null {
  const stated = [entry?.when?.from, ...cited.map(({ correction }) => correction?.from)]
  return time !== null && stated.includes(time) ? time : null
}

/** An entry whose words have a year tells its beginning itself. */
export function timesText({ from, until, saidAt }: EntryTimes, text: string): string | null {
  const begins = from === null ? dayText('said', saidAt) : dayText(from.isToCome ? 'from' : 'since', from.at)
  const shown = [/\b\d{4}\b/.test(text) ? null : begins, dayText('until', until)].filter((each) => each !== null)
  return shown.length === 0 ? null : shown.join(', ')
}

function dayText(word: 'said' | 'from' | 'since' | 'until', at: number | null): string | null {
  if (at === null) return null
  const { name, year } = dayOf({ at })
  return `${word} ${name} ${year}`
}
