/**
 * Entries that hold at the moment of a request. A statement counts from the day it is dated: an entry whose evidence is
 * all dated later doesn't hold yet, and an entry that only such an entry replaced still holds. The stages have no
 * clock, so they record both as soon as they are derived, and the readers decide.
 */
import { after, and, atMost, type Condition, isNull, not } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import type { Row } from '@loomlog/views/row'
import { type EntryRow, entries as entryTable } from '@loomlog/views/tables/entries'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'

/**
 * Entries that began by the moment and end after it because another one replaces them. `endingLater` finds those that
 * hold until then.
 */
export function endingAfter(moment: number): Condition<EntryRow> {
  return and<EntryRow>(atMost('validFrom', moment), after('validTo', moment), not(isNull('replacedBy')))
}

/** Of current entries and entries that end later, those that hold. */
export async function holdingAt(
  moment: number,
  rows: readonly EntryRow[],
  views: ViewReader,
): Promise<readonly EntryRow[]> {
  const later = await endingLater(moment, rows, views)
  const future = await futureEntries(
    moment,
    rows.filter(({ knownTo }) => knownTo === null),
    views,
  )
  return rows.filter(({ id, knownTo }) => (knownTo === null ? !future.has(id) : later.has(id)))
}

/** Ids of the retired entries that hold until a replacement whose evidence is dated after the moment. */
export async function endingLater(
  moment: number,
  rows: readonly EntryRow[],
  views: ViewReader,
): Promise<ReadonlySet<string>> {
  const ending = rows.filter(({ validTo, replacedBy }) => (validTo ?? moment) > moment && replacedBy !== null)
  if (ending.length === 0) return new Set()
  const bySpace = Map.groupBy(ending, ({ space }) => space)
  const replacements = [...bySpace].map(([space, of]) =>
    views.byIds(entryTable, space, [...new Set(of.flatMap(({ replacedBy }) => replacedBy ?? []))]),
  )
  const future = await futureEntries(moment, (await Promise.all(replacements)).flat(), views)
  return new Set(ending.filter(({ replacedBy }) => future.has(replacedBy ?? '')).map(({ id }) => id))
}

/** Ids of the entries whose evidence is all dated after the moment. */
async function futureEntries(
  moment: number,
  rows: readonly EntryRow[],
  views: ViewReader,
): Promise<ReadonlySet<string>> {
  const bySpace = Map.groupBy(
    rows.filter(({ sources }) => sources.length > 0),
    ({ space }) => space,
  )
  const dated = new Set<string>()
  for (const [space, of] of bySpace) {
    const cited = [...new Set(of.flatMap(({ sources }) => sources))]
    const spoken = await views.byIds(utteranceTable, space, cited)
    const future = new Set(
      spoken.filter(({ at, correction }) => isFuture({ at: correction?.from ?? at }, moment)).map(({ id }) => id),
    )
    for (const { id, sources } of of) if (sources.every((source) => future.has(source))) dated.add(id)
  }
  return dated
}

export function isFuture({ at }: Pick<Row, 'at'>, moment: number): boolean {
  return (at ?? 0) > moment
}
