/**
 * The indexes of a table: one on keys for merges and look-ups, one on spaces because every search is within one space,
 * and full text, unless rows are sealed. There is none on vectors: the space index leaves a search the vectors of one
 * space, which are compared exactly, 10 ms for a few hundred of 512 dimensions, 100 ms for 25,000. An approximate index
 * over all spaces would lose results to the filter.
 */
import { Index, type Table } from '@lancedb/lancedb'
import { isConflict } from './errors.ts'
import type { RowFormat } from './row-format.ts'

const indexes = {
  key: () => Index.btree(),
  space: () => Index.btree(),
  // ICU finds words in every script; `split` also finds the parts of foo_bar and v1.2. Stop words stay: "The Who" is a
  // name, and one language's stop word is another's noun. Without phrase queries no positions are needed.
  text: () => Index.fts({ baseTokenizer: 'icu/split', stem: true, removeStopWords: false, withPosition: false }),
} as const

type LanceTable = Pick<Table, 'listIndices' | 'createIndex'>

/** Makes the missing indexes of these columns, or rebuilds all of them. Searches use the old index meanwhile. */
export async function buildIndexes(
  table: LanceTable,
  columns: RowFormat['indexes'],
  which: 'missing' | 'all',
): Promise<void> {
  const present = new Set((await table.listIndices()).flatMap((index) => index.columns))
  for (const column of columns) {
    if (which === 'missing' && present.has(column)) continue
    await buildIndex(table, column, indexes[column])
  }
}

/** Attempts at one index: a process that opens the table or is being fenced may commit in between. */
const maxTries = 5

async function buildIndex(table: LanceTable, column: string, config: () => Index): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await table.createIndex(column, { config: config(), replace: true })
    } catch (error) {
      if (!isConflict(error) || attempt === maxTries) throw error
    }
  }
}
