/**
 * One table of a shard on disk: made with its watermark row and its indexes, so that it can be searched and fenced from its
 * first moment on. What exists is opened and checked; nothing is ever made anew over it.
 */
import { type Connection, Index, type Table } from '@lancedb/lancedb'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { type VectorSpace, watermarkKey, watermarkRow } from './fence.ts'
import { encodeRows } from './row.ts'

export async function openTable(connection: Connection, name: string): Promise<Table> {
  try {
    return await connection.openTable(name)
  } catch (cause) {
    if (!says(cause, 'was not found')) throw cause
    throw new LoomlogError('not-found', `no table ${name} in this shard yet`, { cause })
  }
}

/** A table that is made here is its writer's from the first moment on: another commit to take it would cost as much as many rows. */
export async function openOrCreateTable(
  connection: Connection,
  name: string,
  { vectorSpace, writer }: { readonly vectorSpace: VectorSpace; readonly writer: string },
): Promise<Table> {
  try {
    return await openTable(connection, name)
  } catch (error) {
    if (!isLoomlogError(error, 'not-found')) throw error
  }
  const first = watermarkRow({ offset: 0, epoch: 1, writer }, vectorSpace)
  try {
    return await connection.createTable(name, encodeRows([[watermarkKey, first]], vectorSpace.dimensions))
  } catch (cause) {
    // Another writer was quicker: its table is as good, and the fence decides who may write to it. (LanceDB looks first and then
    // overwrites, so the slower one may also have emptied the quicker one's table; the name in the fence covers that.)
    if (!says(cause, 'already exists') && !says(cause, 'commit conflict')) throw cause
    return await openTable(connection, name)
  }
}

/**
 * A key index for merges and look-ups, a space index because every search is within one space, and full text. There is no index
 * on vectors: the space index leaves a search the vectors of one space, which are compared exactly: 10 ms for a few hundred of
 * 512 dimensions, 100 ms for 25,000. An approximate index over all spaces would lose results to the filter.
 */
const indexes = {
  key: () => Index.btree(),
  space: () => Index.btree(),
  // ICU finds words in every script; `split` also finds the parts of foo_bar and v1.2. Stop words stay: "The Who" is a name, and
  // what is one language's stop word is another's noun. Nothing asks for phrases, so no positions.
  text: () => Index.fts({ baseTokenizer: 'icu/split', stem: true, removeStopWords: false, withPosition: false }),
} as const

/** Makes the indexes that are missing, or all of them anew. A search meanwhile uses the old one. */
export async function buildIndexes(
  table: Pick<Table, 'listIndices' | 'createIndex'>,
  which: 'missing' | 'all',
): Promise<void> {
  const present = new Set((await table.listIndices()).flatMap((index) => index.columns))
  for (const [column, config] of Object.entries(indexes)) {
    if (which === 'missing' && present.has(column)) continue
    await buildIndex(table, column, config)
  }
}

/** As often as another process may get in between, while it opens or is being fenced. */
const maxTries = 5

async function buildIndex(table: Pick<Table, 'createIndex'>, column: string, config: () => Index): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await table.createIndex(column, { config: config(), replace: true })
    } catch (error) {
      const overtaken = says(error, 'commit conflict') || says(error, 'Incompatible transaction')
      if (!overtaken || attempt === maxTries) throw error
    }
  }
}

/** LanceDB's errors have no codes. */
function says(error: unknown, words: string): boolean {
  return error instanceof Error && error.message.includes(words)
}
