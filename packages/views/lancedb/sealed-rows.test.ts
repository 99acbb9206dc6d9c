import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect } from '@lancedb/lancedb'
import { newLogKeys, type TestSealing, testSealing } from '@loomlog/log/sealing-fixture'
import { and, equals } from '../condition.ts'
import { testRow, testShard, testSpace, testVectors } from '../contract/setup.ts'
import { quantized } from '../int8-vectors.ts'
import type { ReadableShard, WritableShard } from '../port.ts'
import type { StoredRow } from '../row.ts'
import { SpaceCache } from '../space-cache/space-cache.ts'
import { type FactRow, facts as table } from '../tables/facts.ts'
import { temporaryFolder } from './fixture.ts'
import { lanceStore, shardUri } from './store.ts'

const quiet = () => {}

/** Enough for packs. */
const rowCount = 300

async function put(shard: WritableShard, rows: readonly StoredRow<FactRow>[]): Promise<void> {
  const from = (await shard.watermark(table)).offset
  const changes = rows.map((row, at) => ({ kind: 'put', row: { ...row, offset: from + at } }) as const)
  await shard.apply({ table, changes, watermark: from + rows.length })
}

function numbered(count: number, space = testSpace): readonly StoredRow<FactRow>[] {
  return Array.from({ length: count }, (_, at) => testRow(`r${at}`, at, { space }))
}

async function idsIn(shard: Pick<ReadableShard, 'scan'>, space = testSpace): Promise<readonly string[]> {
  return (await shard.scan(table, { space, limit: 9_999 })).map(({ id }) => id)
}

/** A row whose every column that can hold words holds a canary of its own. */
function canaryRow(at: number): { readonly row: StoredRow<FactRow>; readonly canaries: readonly string[] } {
  const fields = Object.entries(table.allColumns).filter(([field]) => field !== 'space')
  const canaries: string[] = []
  const values: { [field: string]: unknown } = {}
  const canary = (field: string) => {
    const word = `canary${field.toLowerCase()}${at}x`
    canaries.push(word)
    return word
  }
  for (const [field, { kind }] of fields) {
    if (kind === 'text' || kind === 'text?') values[field] = canary(field)
    if (kind === 'texts') values[field] = [canary(field)]
    if (kind === 'json') values[field] = { text: canary(field) }
  }
  return { row: testRow('', at, values), canaries }
}

/** The needles that any file of a folder holds. */
async function foundIn(folder: string, needles: ReadonlyMap<string, Buffer>): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const bytes = await readFile(join(entry.parentPath, entry.name))
    for (const [name, needle] of needles) if (bytes.includes(needle)) found.add(name)
  }
  return found
}

/** Every stored value of every row, packs and vectors included, as LanceDB gives them without keys. */
async function decodedRows(folder: string): Promise<readonly Buffer[]> {
  const connection = await connect(shardUri(folder, testShard))
  const rows = await (await connection.openTable(table.name)).query().toArray()
  connection.close()
  return rows.flatMap(({ pack, vector, ...columns }) => [
    Buffer.from(JSON.stringify(columns, (_, value) => (typeof value === 'bigint' ? String(value) : value))),
    Buffer.from(pack),
    Buffer.from(Float32Array.from(vector?.toArray() ?? []).buffer),
  ])
}

/** Rows with canaries that are merged, packed, changed, removed and optimised; and the canaries that are in files. */
async function canariesOnDisk(t: TestContext, sealing: TestSealing | null) {
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-canaries-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const shard = await lanceStore(folder, quiet, sealing).write(testShard)
  const { row, canaries } = canaryRow(1)
  const removed = canaryRow(2)
  await put(shard, [...numbered(rowCount), row, removed.row])
  const offset = (await shard.watermark(table)).offset
  const remove = { kind: 'remove', space: testSpace, id: removed.row.id, offset } as const
  await shard.apply({ table, changes: [remove], watermark: offset + 1 })
  await put(shard, numbered(rowCount))
  await shard.optimize()
  const { packs } = await shard.changes(table, testSpace, 0)
  assert.ok(packs.length > 0)
  await shard.close()
  const { vector } = row
  assert.ok(vector !== null)
  const texts = [...canaries, ...removed.canaries].map((canary) => [canary, Buffer.from(canary)] as const)
  const needles = new Map<string, Buffer>([
    ...texts,
    ['vector', Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)],
    ['8-bit vector', Buffer.from(Int8Array.from(quantized(vector).values).buffer)],
  ])
  const inFiles = await foundIn(folder, needles)
  // LanceDB compresses columns, which hides words from a search for their bytes, but from no one else.
  const decoded = await decodedRows(folder)
  const inRows = [...needles].filter(([, needle]) => decoded.some((bytes) => bytes.includes(needle)))
  return { live: [...canaries, 'vector'], found: new Set([...inFiles, ...inRows.map(([name]) => name)]) }
}

test('no file of an encrypted view holds a word, an id or a vector of a row', async (t) => {
  const { found } = await canariesOnDisk(t, testSealing())
  assert.deepEqual([...found], [])
})

test('of a view without encryption the same search finds every word and the vector', async (t) => {
  const { live, found } = await canariesOnDisk(t, null)
  for (const each of live) assert.ok(found.has(each), each)
})

test('a view with rows of the other format is damage, so that it is rebuilt', async (t) => {
  const sealing = testSealing()
  for (const [made, opened] of [
    [null, sealing],
    [sealing, null],
  ] as const) {
    const folder = await temporaryFolder(t)
    const shard = await lanceStore(folder, quiet, made).write(testShard)
    await put(shard, numbered(3))
    await shard.close()
    const other = lanceStore(folder, quiet, opened)
    const refusal = { code: 'view-corrupt', message: /encrypt/ }
    await assert.rejects(other.read(testShard, 'latest'), refusal)
    await assert.rejects(other.write(testShard), refusal)
  }
})

test('rows and packs whose key was destroyed are left out, and the space is packed again without them', async (t) => {
  const sealing = testSealing()
  const store = lanceStore(await temporaryFolder(t), quiet, sealing)
  const first = await store.write(testShard)
  await put(first, [...numbered(rowCount), ...numbered(3, 'acme/other')])
  await sealing.rotate(testSpace)
  const later = Array.from({ length: 200 }, (_, at) => testRow(`later${at}`, at, { seq: 1_000 + at }))
  assert.equal((await idsIn(first)).length, rowCount)
  await sealing.destroyRetired(testSpace)
  await first.close()
  const shard = await store.write(testShard)
  assert.deepEqual(await shard.byIds(table, testSpace, ['r0']), [])
  await put(shard, later)
  const cold = new SpaceCache().searchesOf(shard, testVectors.dimensions)
  const expected = later.map(({ id }) => id)
  for (const each of [shard, cold]) assert.deepEqual(await idsIn(each), expected)
  const dumped: string[] = []
  for await (const { id, space } of shard.rows(table)) dumped.push(`${space}/${id}`)
  const others = ['r0', 'r1', 'r2'].map((id) => `acme/other/${id}`)
  assert.deepEqual(dumped, [...expected.map((id) => `${testSpace}/${id}`).sort(), ...others])
  assert.equal((await shard.fullText(table, { space: 'acme/other', query: 'says', limit: 9 })).length, 3)
  await shard.close()
})

test('a reader in another process opens rows whose key was made after its own start', async (t) => {
  const folder = await temporaryFolder(t)
  const keys = newLogKeys()
  const writer = await lanceStore(folder, quiet, testSealing(keys)).write(testShard)
  const reader = await lanceStore(folder, quiet, testSealing(keys)).read(testShard, 'latest')
  const cached = new SpaceCache().searchesOf(reader, testVectors.dimensions)
  assert.deepEqual(await idsIn(cached), [])
  await put(writer, numbered(2))
  assert.deepEqual(await idsIn(cached), ['r0', 'r1'])
  await Promise.all([writer.close(), reader.close()])
})

test('a row with the sealed bytes, a number or the key of another one is damage', async (t) => {
  const folder = await temporaryFolder(t)
  const sealing = testSealing()
  const shard = await lanceStore(folder, quiet, sealing).write(testShard)
  await put(shard, [...numbered(2), ...numbered(1, 'acme/other')])
  const connection = await connect(shardUri(folder, testShard))
  const on = await connection.openTable(table.name)
  const key = (id: string, space = testSpace) => `'${sealing.name(`${space}/${id}`)}'`
  const bytesOf = async (id: string, space = testSpace) => {
    const wanted = on
      .query()
      .where(`key = ${key(id, space)}`)
      .select(['pack', 'checksum', 'vector_checksum'])
    const [{ pack, checksum, vector_checksum }] = await wanted.toArray()
    const bytes = `arrow_cast(decode('${Buffer.from(pack).toString('hex')}', 'hex'), 'Binary')`
    return { pack: bytes, checksum: `${checksum}`, vector_checksum: `${vector_checksum}` }
  }
  const original = await bytesOf('r0')
  const damages: readonly { readonly [column: string]: string }[] = [
    { pack: `arrow_cast('garbage', 'Binary')` },
    { pack: `arrow_cast('', 'Binary')` },
    await bytesOf('r1'),
    await bytesOf('r0', 'acme/other'),
    { seq: '77' },
    { deleted: 'TRUE' },
    { at: 'NULL' },
  ]
  const undamaged = { ...original, seq: '0', deleted: 'FALSE', at: '1700000000000' }
  const changes = () => shard.changes(table, testSpace, 0)
  for (const damage of damages) {
    await on.update({ where: `key = ${key('r0')}`, valuesSql: damage })
    await assert.rejects(changes(), { code: 'view-corrupt' }, JSON.stringify(Object.keys(damage)))
    await on.update({ where: `key = ${key('r0')}`, valuesSql: undamaged })
    assert.equal((await changes()).rows.length, 2)
  }
  connection.close()
  await shard.close()
})

test('a total over sealed words is refused, and one over numbers and spaces is counted', async (t) => {
  const shard = await lanceStore(await temporaryFolder(t), quiet, testSealing()).write(testShard)
  await put(shard, numbered(4))
  assert.equal(await shard.total(table, and(equals('seq', 2), equals('space', testSpace))), 1)
  await assert.rejects(shard.total(table, and(equals('kind', 'state'))), /can't read kind, which is encrypted/)
  await shard.close()
})
