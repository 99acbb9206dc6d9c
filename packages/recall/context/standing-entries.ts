/**
 * Entries at the moment of a request: those that hold, those that ended, and who wrote them. An entry that names its
 * own end is over then, though nothing replaced it.
 */
import { and, atMost, type Condition, isNull, not, or } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import type { EntryRow } from '@loomlog/views/tables/entries'
import { conditionOf, endedCondition, momentOf, type Scope } from '../request/filter.ts'
import { endingAfter, holdingAt } from '../search/holding-entries.ts'

export interface StandingRow {
  readonly row: EntryRow
  /** When it ended; null: it holds, or is to come. */
  readonly endedAt: number | null
}

/** The entries that hold, and those that ended. One that was corrected, retracted or merged never held as it is. */
export async function standingAt(
  moment: number,
  rows: readonly EntryRow[],
  views: ViewReader,
): Promise<readonly StandingRow[]> {
  const holding = new Set((await holdingAt(moment, rows, views)).map(({ id }) => id))
  return rows.flatMap((row): readonly StandingRow[] => {
    const { validFrom, validTo, knownTo } = row
    const isOver = validTo !== null && validTo <= moment
    if (holding.has(row.id)) return [{ row, endedAt: isOver ? validTo : null }]
    const hasHeld = isOver && knownTo !== null && validTo > (validFrom ?? -Infinity)
    return hasHeld ? [{ row, endedAt: validTo }] : []
  })
}

export function holdingIn(scope: Scope): Condition<EntryRow> {
  return or<EntryRow>(and<EntryRow>(conditionOf(scope), isNull('replacedBy')), stillHolding(scope))
}

/** Entries that only a statement dated later may have replaced. */
function stillHolding(scope: Scope): Condition<EntryRow> {
  return and<EntryRow>(endedCondition(scope), endingAfter(momentOf(scope.asOf)))
}

export function endedBy(moment: number, scope: Scope): Condition<EntryRow> {
  return and<EntryRow>(endedCondition(scope), atMost('validTo', moment), not(isNull('replacedBy')))
}

/** Whether rules wrote the entry. They are less sure than a plan of a model, which also ends what no longer holds. */
export function isByRules({ lineage }: Pick<EntryRow, 'lineage'>): boolean {
  return (lineage?.method ?? 'rules') === 'rules'
}
