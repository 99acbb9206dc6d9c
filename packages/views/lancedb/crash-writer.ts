/**
 * For crash.test.ts and fence.test.ts: applies batches of random sizes from the watermark on, up to the end or until it
 * is killed.
 */
import { testRow, testShard } from '../contract/setup.ts'
import { facts as table } from '../tables/facts.ts'
import { lanceStore } from './store.ts'

const [views = '', end = '0'] = process.argv.slice(2)
const shard = await lanceStore(views).write(testShard)
let from = (await shard.watermark(table)).offset
process.stdout.write('open\n')
while (from < Number(end)) {
  const watermark = Math.min(Number(end), from + 1 + Math.floor(Math.random() * 12))
  const offsets = Array.from({ length: watermark - from }, (_, index) => from + index)
  await shard.apply({
    table,
    changes: offsets.map((offset) => ({ kind: 'put', row: testRow(`r${offset}`, offset) })),
    watermark,
  })
  process.stdout.write(`${watermark}\n`)
  from = watermark
}
await shard.close()
