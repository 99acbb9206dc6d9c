/**
 * For cleared-bytes.test.ts: clears the space of the tests at an offset, and dies at the crash point of its
 * environment.
 */
import { testShard, testSpace } from '../contract/setup.ts'
import { facts as table } from '../tables/facts.ts'
import { lanceStore } from './store.ts'

const [views = '', offset = '0'] = process.argv.slice(2)
const shard = await lanceStore(views).write(testShard)
const change = { kind: 'clear', space: testSpace, offset: Number(offset) } as const
await shard.apply({ table, changes: [change], watermark: Number(offset) + 1 })
await shard.close()
