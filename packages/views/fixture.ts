/** For tests: shards in temporary folders, removed when the test ends, or in an object store; and rows with everything filled in. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Row } from './row.ts'
import { openShard, type WritableShard } from './shard.ts'

export const testSpace = 'acme/home'
export const testVectors = { name: 'test-8', dimensions: 8 }

/** Where LOOMLOG_TEST_VIEWS is set, a place of its own under that URI, which stays. */
export async function temporaryFolder(test: TestContext): Promise<string> {
  const { LOOMLOG_TEST_VIEWS } = process.env
  if (LOOMLOG_TEST_VIEWS) return `${LOOMLOG_TEST_VIEWS}/${randomUUID()}`
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-views-'))
  test.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A new shard with one table, `facts`, open to write. */
export async function temporaryShard(test: TestContext): Promise<WritableShard & { readonly uri: string }> {
  const uri = await temporaryFolder(test)
  return { ...(await openTestShard(uri)), uri }
}

export async function openTestShard(uri: string): Promise<WritableShard> {
  return await openShard({ uri, tables: ['facts'], vectorSpace: testVectors, mode: 'write' })
}

export function testRow(id: string, offset: number, fields: Partial<Row> = {}): Row {
  return {
    id,
    space: testSpace,
    conversation: 'kitchen',
    speaker: 'Ann',
    text: `what ${id} says`,
    payload: `{"id":"${id}"}`,
    seq: offset,
    ordinal: 0,
    at: 1_700_000_000_000 + offset,
    validFrom: null,
    validTo: null,
    knownFrom: 1_750_000_000_000 + offset,
    knownTo: null,
    offset,
    deleted: false,
    vector: Float32Array.from({ length: testVectors.dimensions }, (_, index) => Math.sin(offset + index)),
    ...fields,
  }
}
