/**
 * Every row of a space in one table, in the default order, read in pages, so that a large space is never in memory
 * whole.
 */
import { after, and, type Condition, equals, or } from './condition.ts'
import type { Search, SpaceFilter } from './port.ts'
import type { Row } from './row.ts'
import type { RowOf, Table } from './table.ts'

const rowsOfAPage = 10_000

export async function* everyRow<T extends Table>(
  views: Pick<Search, 'scan'>,
  table: T,
  { space, where = and() }: SpaceFilter<T>,
  pageRows = rowsOfAPage,
): AsyncGenerator<RowOf<T>> {
  for (let last: Row | null = null; ; ) {
    const rest = last === null ? where : (and(where, rowsAfter(last)) as Condition<RowOf<T>>)
    const page: readonly RowOf<T>[] = await views.scan(table, { space, where: rest, limit: pageRows })
    yield* page
    last = page.at(-1) ?? null
    if (last === null || page.length < pageRows) return
  }
}

/** The rows after this one in the default order. */
function rowsAfter({ seq, ordinal, id }: Row) {
  const sameSeq = equals('seq', seq)
  return or(
    after('seq', seq),
    and(sameSeq, after('ordinal', ordinal)),
    and(sameSeq, equals('ordinal', ordinal), after('id', id)),
  )
}
