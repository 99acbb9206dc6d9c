/**
 * `npm run bench -- subscribers [--json FILE]`: readers of the HTTP feed on one gateway, while events arrive. The
 * measured time is from the call of the append to the reader, the commit included. An event that a reader lacks two
 * seconds after the end is missed. Gateway and writer share a process; the readers have another.
 */

import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openAccess } from '@loomlog/access/caller'
import { applicationWithoutStages } from '@loomlog/gateway/application-without-stages'
import { createGateway } from '@loomlog/gateway/gateway'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import type { PublishedEvent } from '@loomlog/schemas/events'
import pino from 'pino'
import { writeResult } from '../../figures/result.ts'

const options = {
  readers: { type: 'string', default: '1000' },
  spaces: { type: 'string', default: '100' },
  rate: { type: 'string', default: '200' },
  seconds: { type: 'string', default: '30' },
  json: { type: 'string' },
} as const

interface ReaderCounts {
  readonly received: number
  readonly gaps: number
  readonly repeated: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

const ticksASecond = 20

export async function benchSubscribers(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options })
  const [readers, spaces, rate, seconds] = [values.readers, values.spaces, values.rate, values.seconds].map(Number)
  if (!readers || !spaces || !rate || !seconds) throw new Error('expected numbers over 0')
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-bench-'))
  const log = openSqliteLog({ dir })
  for (const name of ['utterances', 'memory-events']) await log.createTopic({ name, partitions: 4, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const app = createGateway({
    ...applicationWithoutStages,
    log,
    codec,
    dir,
    limits: {},
    webhookKey: null,
    webhookNetworks: [],
    partitions: 4,
    hostNames: [],
    recalls: null,
    model: null,
    toolModel: null,
    logger: pino({ level: 'silent' }),
    reading: () => Promise.reject(new Error('this gateway only serves the feed')),
    status: async () => ({}),
    conditions: { current: new Map() },
    onRetryableError: () => {},
    usage: async () => ({}),
    access: openAccess,
    tls: null,
    metrics: null,
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const child = fork(new URL('./readers.ts', import.meta.url), [url, String(readers), String(spaces)])
  const answer = <T>(question: string) =>
    new Promise<T>((resolve) => {
      child.once('message', (message) => resolve(message as T))
      child.send(question)
    })
  while ((await answer<{ ready: number }>('ready?')).ready < readers) await sleep(100)
  const counts = new Map<number, number>()
  let peak = 0
  let written = 0
  for (let tick = 0; tick < seconds * ticksASecond; tick++) {
    const startedAt = performance.now()
    const records = Array.from({ length: rate / ticksASecond }, () => {
      const space = written % spaces
      const n = counts.get(space) ?? 0
      counts.set(space, n + 1)
      written += 1
      return { key: `default/s${space}`, value: codec.encode(eventOf(space, n)), timestamp: Date.now() }
    })
    await log.append('memory-events', records)
    peak = Math.max(peak, process.memoryUsage().rss)
    await sleep(Math.max(0, 1_000 / ticksASecond - (performance.now() - startedAt)))
  }
  await sleep(2_000)
  const { p50, p99, most, ...counted } = await answer<ReaderCounts>('end')
  const expected = Array.from({ length: readers }, (_, n) => counts.get(n % spaces) ?? 0).reduce((sum, n) => sum + n, 0)
  const latency = { p50Ms: p50, p99Ms: p99, mostMs: most }
  const figures = {
    readers,
    spaces,
    rate,
    seconds,
    expected,
    ...counted,
    missed: expected - counted.received,
    ...latency,
    peakMb: Math.round(peak / 1e6),
  }
  console.log(JSON.stringify(figures))
  await writeResult(values.json, 'bench -- subscribers', figures)
  await app.close()
  await log.close()
  await rm(dir, { recursive: true })
}

/** `score` carries the time of the append. */
function eventOf(space: number, n: number): PublishedEvent {
  const place = { id: `${space} ${n}`, tenant: 'default', space: `s${space}`, generation: 'g', at: Date.now() }
  const link = {
    trace: 't',
    title: 'the boat needs a new engine',
    event: 'e',
    previous: null,
    position: n,
    keyId: null,
  }
  return {
    type: 'LinkPublished',
    ...place,
    memory: `${n}`,
    change: 'inserted',
    because: 'derived',
    ...link,
    score: Date.now(),
  }
}
