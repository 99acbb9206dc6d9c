import { existsSync, writeFileSync } from 'node:fs'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { recall } from '@loomlog/recall/recall'
import { Codec } from '@loomlog/schemas/codec'
import { SpaceCache } from '@loomlog/views/space-cache'
import { utterances } from '@loomlog/views/tables/utterances'
import { seeded } from './test/seeded.ts'
import { fillLog, fillShards, measured, openReader, rowsOf, vectorSpace } from './test/bench/recall/crowded-shard.ts'
import { question, unitVector } from './test/bench/recall/synthetic-memories.ts'
const [dir, spaceN, shardN, count = '100', mode = 'warm'] = process.argv.slice(2)
const space = Number(spaceN), shard = Number(shardN)
const views = dir + '/views'
if (!existsSync(views)) { const t = performance.now(); await fillShards(views, { space, shard }); console.log('filled', Math.round(performance.now() - t)) }
const log = openSqliteLog({ dir })
await log.createTopic({ name: 'utterances', partitions: 1, retentionMs: null })
const [end = 0] = await log.endOffsets('utterances')
await fillLog(log, rowsOf(utterances, { shard }) - end)
const rv = seeded(3)
const embedder = { space: vectorSpace, embed: async (texts: readonly string[]) => texts.map(() => unitVector(vectorSpace.dimensions, rv)), close: async () => {} }
const shared = { log, codec: await Codec.open(log.schemas), embedder }
const random = seeded(1)
const cache = new SpaceCache()
let reader = openReader(views, cache)
const ask = () => recall({ space: measured, query: question(random) }, { ...shared, views: reader })
async function times(n: number, prepare = async () => {}) {
  const ms: number[] = []; const cpu: number[] = []
  for (let i = 0; i < n; i++) { await prepare(); const t = performance.now(); const c = process.cpuUsage(); await ask(); const d = process.cpuUsage(c); ms.push(performance.now() - t); cpu.push((d.user + d.system) / 1000) }
  const p = (a: number[], q: number) => a.toSorted((x, y) => x - y)[Math.floor(q * (a.length - 1))]?.toFixed(1)
  return `wall p50 ${p(ms, .5)} p99 ${p(ms, .99)}  cpu p50 ${p(cpu, .5)} mean ${(cpu.reduce((a, b) => a + b, 0) / n).toFixed(1)}`
}
if (mode.startsWith('dump')) { const out = []; for (let i = 0; i < Number(count); i++) out.push(await ask()); writeFileSync(mode.slice(5), JSON.stringify(out, null, 1)) } else if (mode === 'warm') { await times(Number(process.env.WARM ?? 20)); console.log('warm', await times(Number(count)), 'cache MB', (cache.bytes / 1e6).toFixed(1)) }
else { const coldly = async () => { await reader.close(); reader = openReader(views, cache) }; await times(2, coldly); console.log('cold', await times(Number(count), coldly)) }
await reader.close(); await log.close()
