import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, type Table as LanceTable } from '@lancedb/lancedb'
import type { RowChange } from '../change.ts'
import { testRow, testShard, testSpace, testVectors } from '../contract/setup.ts'
import { memoryStore } from '../in-memory/store.ts'
import type { ReadableShard, WritableShard } from '../port.ts'
import { SpaceCache } from '../space-cache/space-cache.ts'
import type { Table } from '../table.ts'
import { facts as table } from '../tables/facts.ts'
import { temporaryFolder } from './fixture.ts'
import { endOf, maxReadPerMerge } from './pack-keeper.ts'
import { minUnpackedRows } from './packs.ts'
import { plainRows } from './row-format.ts'
import { lanceStore, shardUri } from './store.ts'
import { openWriter } from './writer.ts'

const other = 'acme/office'

function put(id: string, offset: number, space = testSpace): RowChange {
  return { kind: 'put', row: testRow(id, offset, { space, text: `${id} says w${offset % 13} at ${offset}` }) }
}

/** One batch of consecutive offsets. */
async function write(shard: WritableShard, changes: (offset: number) => readonly RowChange[], count: number) {
  const from = (await shard.watermark(table)).offset
  const offsets = Array.from({ length: count }, (_, at) => from + at)
  await shard.apply({ table, changes: offsets.flatMap(changes), watermark: from + count })
}

/** A space as a reader that was just opened finds it, and the number of rows that come from packs. */
async function readCold(shard: ReadableShard, space = testSpace) {
  const { packs } = await shard.changes(table, space, 0)
  const cold = new SpaceCache().searchesOf(shard, testVectors.dimensions)
  const vector = Float32Array.from({ length: testVectors.dimensions }, (_, at) => Math.cos(at))
  return {
    packedRows: packs.reduce((sum, pack) => sum + pack.length, 0),
    rows: await cold.scan(table, { space, limit: 9_999 }),
    near: (await cold.nearest(table, { space, vector, limit: 5 })).map(({ row }) => row.id),
    words: (await cold.fullText(table, { space, query: 'w3 r17', limit: 5 })).map(({ row }) => row.id),
  }
}

async function searchStore(shard: ReadableShard, space = testSpace) {
  return await shard.scan(table, { space, limit: 9_999 })
}

test('a growing space is read from few packs, with the results of a store without packs', async (t) => {
  const shard = await lanceStore(await temporaryFolder(t)).write(testShard)
  const plain = await memoryStore().write(testShard)
  for (let step = 0; step < 24; step += 1) {
    for (const each of [shard, plain]) {
      await write(each, (offset) => [put(`r${offset}`, offset), put(`r${offset % 50}`, offset, other)], 60)
      // New versions of rows that are packed already.
      const patch = (offset: number): RowChange => {
        const fields = { knownTo: offset, validTo: offset }
        return { kind: 'patch', space: testSpace, id: `r${offset % (step * 60 + 1)}`, fields, offset }
      }
      await write(each, (offset) => [patch(offset)], 7)
    }
  }
  for (const space of [testSpace, other]) {
    const { packedRows, ...found } = await readCold(shard, space)
    const { packedRows: _, ...expected } = await readCold(plain, space)
    assert.deepEqual(found, expected)
    assert.ok(packedRows >= found.rows.length - 2 * minUnpackedRows, `${packedRows} of ${found.rows.length}`)
  }
  const { packs } = await shard.changes(table, testSpace, 0)
  assert.ok(packs.length <= 6, `${packs.map(({ length }) => length)}`)
  await shard.close()
})

test('the rows of a large merge are in packs at once, each in its newest version', async (t) => {
  const shard = await lanceStore(await temporaryFolder(t)).write(testShard)
  const plain = await memoryStore().write(testShard)
  for (const each of [shard, plain]) {
    await write(each, (offset) => [put(`r${offset}`, offset)], 100)
    // Newer versions of rows that no pack holds yet.
    await write(each, (offset) => [put(`r${offset % 150}`, offset)], 150)
  }
  const { packedRows, ...found } = await readCold(shard)
  const { packedRows: _, ...expected } = await readCold(plain)
  assert.deepEqual(found, expected)
  assert.equal(packedRows, found.rows.length)
  await shard.close()
})

test('the next writer continues to pack where the last one ended', async (t) => {
  const store = lanceStore(await temporaryFolder(t))
  for (let run = 0; run < 5; run += 1) {
    const shard = await store.write(testShard)
    for (let step = 0; step < 3; step += 1) await write(shard, (offset) => [put(`r${offset}`, offset)], 50)
    await shard.close()
  }
  const reader = await store.read(testShard, 'latest')
  const { packedRows, rows } = await readCold(reader)
  assert.deepEqual(rows, await searchStore(reader))
  assert.ok(packedRows >= 750 - 2 * minUnpackedRows, `${packedRows}`)
  await reader.close()
})

test('a removed row leaves every pack at once, and the space is packed again without it', async (t) => {
  const folder = await temporaryFolder(t)
  const shard = await lanceStore(folder).write(testShard)
  for (let step = 0; step < 6; step += 1) await write(shard, (offset) => [put(`r${offset}`, offset)], 60)
  assert.ok((await readCold(shard)).packedRows > 0)
  await write(shard, (offset) => [{ kind: 'remove', space: testSpace, id: 'r7', offset }], 1)
  const after = await readCold(shard)
  assert.deepEqual([after.packedRows, after.rows.length], [0, 359])
  await write(shard, (offset) => [put(`r${offset}`, offset)], 1)
  await write(shard, (offset) => [put(`r${offset}`, offset)], 1)
  const again = await readCold(shard)
  assert.ok(again.packedRows >= 359, `${again.packedRows}`)
  assert.deepEqual(again.rows, await searchStore(shard))
  await shard.close()
})

test('more unpacked rows than a merge may read are packed merge by merge', async (t) => {
  const folder = await temporaryFolder(t)
  const store = lanceStore(folder)
  const plain = await memoryStore().write(testShard)
  const first = await store.write(testShard)
  const rows = maxReadPerMerge + 1_000
  for (const each of [first, plain]) await write(each, (offset) => [put(`r${offset}`, offset)], rows)
  await first.close()
  await deletePacks(folder)
  const shard = await store.write(testShard)
  const packed: number[] = []
  for (let merge = 0; merge < 3; merge += 1) {
    // A newer version of a row that this merge packs.
    for (const each of [shard, plain]) await write(each, (offset) => [put(`r${merge * 4_200}`, offset)], 1)
    const { packedRows, ...found } = await readCold(shard)
    const { packedRows: _, ...expected } = await readCold(plain)
    assert.deepEqual(found, expected)
    packed.push(packedRows)
  }
  assert.equal(packed[0], maxReadPerMerge)
  assert.ok((packed[2] ?? 0) >= rows, `${packed}`)
  await shard.close()
})

test('after a merge whose reply was lost, packing continues from what the table has', async (t) => {
  const folder = await temporaryFolder(t)
  await (await lanceStore(folder).write(testShard)).close()
  const connection = await connect(shardUri(folder, testShard))
  let merges = 0
  const open = new Map<Table, LanceTable>()
  for (const each of testShard.tables) {
    const on = await connection.openTable(each.name)
    open.set(each, each === table ? losingReplies(on, () => ++merges % 2 === 0) : on)
  }
  const writer = await openWriter(open, {
    format: { vectorSpace: testVectors, rows: plainRows },
    name: 'writer',
    notify: assert.fail,
  })
  t.after(() => writer.close().then(() => connection.close()))
  const plain = await memoryStore().write(testShard)
  // The first pack is too large to be joined, so the lost one has a place of its own.
  for (const until of [2_000, 2_200, 2_400, 2_600]) {
    const offsets = Array.from({ length: until === 2_000 ? 2_000 : 200 }, (_, at) => until - 1 - at).toReversed()
    const changes = offsets.map((offset) => put(`r${offset}`, offset))
    for (const each of [writer, plain]) await each.apply({ table, changes, watermark: until })
  }
  const reader = await lanceStore(folder).read(testShard, 'latest')
  const { packedRows, ...found } = await readCold(reader)
  const { packedRows: _, ...expected } = await readCold(plain)
  assert.deepEqual(found, expected)
  assert.ok(packedRows >= 2_600, `${packedRows}`)
  assert.equal(merges, 4)
  await reader.close()
})

/** Leaves the table of a version that made no packs. */
async function deletePacks(folder: string): Promise<void> {
  const connection = await connect(shardUri(folder, testShard))
  await (await connection.openTable(table.name)).delete("key LIKE '#pack:%'")
  connection.close()
}

/** The same table, on which some merges are committed and fail afterwards. */
function losingReplies(on: LanceTable, isLost: () => boolean): LanceTable {
  const losing = (builder: ReturnType<LanceTable['mergeInsert']>): typeof builder =>
    overriding(builder, {
      whenMatchedUpdateAll: (options) => losing(builder.whenMatchedUpdateAll(options)),
      whenNotMatchedInsertAll: () => losing(builder.whenNotMatchedInsertAll()),
      async execute(...values) {
        const result = await builder.execute(...values)
        if (isLost()) throw new Error('the reply was lost')
        return result
      },
    })
  return overriding(on, { mergeInsert: (key) => losing(on.mergeInsert(key)) })
}

function overriding<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(name in methods ? methods : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

test('a pack ends between two offsets, within the limit unless one offset has more rows', () => {
  assert.equal(endOf([1, 2, 3], 3), null)
  assert.equal(endOf([1, 2, 2, 3], 2), 2)
  assert.equal(endOf([1, 1, 1, 4, 9], 2), 4)
  assert.equal(endOf([1, 1, 1], 2), null)
})

test('a pack whose bytes changed is damage', async (t) => {
  const folder = await temporaryFolder(t)
  const shard = await lanceStore(folder).write(testShard)
  for (let step = 0; step < 6; step += 1) await write(shard, (offset) => [put(`r${offset}`, offset)], 60)
  const connection = await connect(shardUri(folder, testShard))
  const on = await connection.openTable(table.name)
  await on.update({
    where: "key > '#pack:' AND key < '#pack;'",
    valuesSql: { pack: "arrow_cast('garbage', 'Binary')" },
  })
  await assert.rejects(readCold(shard), { code: 'view-corrupt', message: /does not match its checksum/ })
  connection.close()
  await shard.close()
})
