/** For tests: a shard of a view that counts the reads of its changes. */
import { testRow, testShard } from '../contract/setup.ts'
import { memoryStore } from '../in-memory/store.ts'
import type { ReadableShard } from '../port.ts'
import { facts as table } from '../tables/facts.ts'

/** @param counts rows of each space */
export async function filled(counts: { readonly [space: string]: number }) {
  const shard = await memoryStore().write(testShard)
  const rows = Object.entries(counts).flatMap(([space, count]) =>
    Array.from({ length: count }, (_, at) => testRow(`r${at}`, 0, { space })),
  )
  const changes = rows.map((row, offset) => ({ kind: 'put', row: { ...row, offset } }) as const)
  await shard.apply({ table, changes, watermark: rows.length })
  let reads = 0
  const counted: ReadableShard = {
    ...shard,
    changes: (...args) => {
      reads += 1
      return shard.changes(...args)
    },
  }
  return { shard, counted, reads: () => reads }
}
