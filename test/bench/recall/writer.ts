/**
 * Ingestion and maintenance during a measurement of recall, in a process of its own: in each of two tables 64 rows of
 * another space every 250 ms, and an optimize every few seconds, until a message stops it. @public Started by
 * bench-recall.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openSqliteLog } from '@loomlog/log/sqlite'
import type { RowChange } from '@loomlog/views/change'
import { facts } from '@loomlog/views/tables/facts'
import { utterances } from '@loomlog/views/tables/utterances'
import { seededRandom } from '../../seeded-random.ts'
import { fillLog, openShardWriter, vectorSpace } from './crowded-shard.ts'
import { memoryRow } from './synthetic-memories.ts'

const rowsPerBatch = 64
const lingerMs = 250
const batchesPerOptimize = 16

const [dir = '', views = ''] = process.argv.slice(2)
const log = openSqliteLog({ dir })
const writers = [
  { table: utterances, shard: await openShardWriter(views, 'utterances') },
  { table: facts, shard: await openShardWriter(views, 'facts') },
] as const
const random = seededRandom(99)
let isRunning = true
process.on('message', () => {
  isRunning = false
})
let [rows, optimizes] = [0, 0]
process.send?.('ready')
for (let batch = 1; isRunning; batch++) {
  for (const { table, shard } of writers) {
    const { offset } = await shard.watermark(table)
    const changes = Array.from({ length: rowsPerBatch }, (_, index): RowChange => {
      const row = memoryRow(table, offset + index, 'bench/incoming', vectorSpace.dimensions, random)
      return { kind: 'put', row }
    })
    if (table === utterances) await fillLog(log, rowsPerBatch)
    await shard.apply({ table, changes, watermark: offset + rowsPerBatch })
    rows += rowsPerBatch
    if (batch % batchesPerOptimize === 0) await shard.optimize()
  }
  if (batch % batchesPerOptimize === 0) optimizes += writers.length
  await sleep(lingerMs)
}
for (const { shard } of writers) await shard.close()
await log.close()
process.send?.({ rows, optimizes })
process.disconnect()
