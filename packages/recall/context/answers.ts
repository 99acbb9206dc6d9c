/**
 * Answers of a document, one or several under each heading. Several entries may stand under a heading that is marked
 * so; under any other the newest one is the answer, a state before an event of the same day, and a value that is to
 * come stands beside today's. This is display: the others are hidden, not ended, and their words still find the answer.
 * Ended entries follow the entry that took their place.
 */
import type { EntryRow } from '@loomlog/views/tables/entries'
import type { StandingRow } from './standing-entries.ts'

export interface RatedRow extends StandingRow {
  /** How well its own words and meaning match the question. */
  readonly rating: number
}

export interface Answer {
  readonly document: string
  /** The best rating under the heading, of hidden entries too. */
  readonly rating: number
  /** The current entry, the one that is to come, then the ended ones, the latest end first. */
  readonly shown: readonly RatedRow[]
}

/** Ended entries shown with one answer. */
const maxEnded = 3
const dayMs = 86_400_000

export function answersOf(rated: readonly RatedRow[], moment: number): readonly Answer[] {
  const standing = rated.filter(({ endedAt }) => endedAt === null)
  const ended = rated.filter(({ endedAt }) => endedAt !== null)
  const several = new Set(rated.flatMap(({ row }) => (row.isOneOfSeveral ? [headingOf(row)] : [])))
  const keyOf = ({ row }: RatedRow) => (several.has(headingOf(row)) ? row.id : headingOf(row))
  const groups = Map.groupBy(standing, keyOf)
  const groupOfEntry = new Map([...groups].flatMap(([key, of]) => of.map(({ row }) => [row.id, key])))
  const endedById = new Map(ended.map((each) => [each.row.id, each]))
  const endedOf = Map.groupBy(ended, (each) => groupOfEntry.get(lastOf(each, endedById)) ?? keyOf(each))
  return [...new Set([...groups.keys(), ...endedOf.keys()])].flatMap((key) => {
    const current = groups.get(key) ?? []
    const before = (endedOf.get(key) ?? []).toSorted((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))
    const all = [...current, ...before]
    const [first] = all
    if (first === undefined) return []
    const shown = [...answersAmong(current, moment), ...before.slice(0, maxEnded)]
    return [{ document: first.row.document, rating: Math.max(...all.map(({ rating }) => rating)), shown }]
  })
}

/** The id of the entry at the end of the chain of replacements. */
function lastOf({ row }: RatedRow, ended: ReadonlyMap<string, RatedRow>): string {
  const passed = new Set([row.id])
  let next = row.replacedBy ?? ''
  while (!passed.has(next)) {
    passed.add(next)
    next = ended.get(next)?.row.replacedBy ?? next
  }
  return next
}

export function headingOf({ document, heading }: Pick<EntryRow, 'document' | 'heading'>): string {
  return JSON.stringify([document, heading.toLowerCase()])
}

function answersAmong(standing: readonly RatedRow[], moment: number): readonly RatedRow[] {
  const isToCome = ({ row }: RatedRow) => (row.validFrom ?? 0) > moment
  const newest = standing.toSorted((a, b) => byAnswer(a.row, b.row))
  return [newest.find((each) => !isToCome(each)), newest.find(isToCome)].filter((each) => each !== undefined)
}

/** The better answer first. */
function byAnswer(a: EntryRow, b: EntryRow): number {
  const dayOf = (row: EntryRow) => Math.floor(saidAtOf(row) / dayMs)
  const isEvent = ({ factKind }: EntryRow) => Number(factKind === 'event')
  return (
    dayOf(b) - dayOf(a) ||
    isEvent(a) - isEvent(b) ||
    saidAtOf(b) - saidAtOf(a) ||
    b.seq - a.seq ||
    b.ordinal - a.ordinal
  )
}

function saidAtOf({ saidAt, validFrom }: Pick<EntryRow, 'saidAt' | 'validFrom'>): number {
  return saidAt ?? validFrom ?? 0
}
