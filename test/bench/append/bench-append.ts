/**
 * Appends of one utterance each, by clients in a closed loop, beside a bare loop with the same durability in the same run:
 * `npm run bench -- append [--json FILE] [--size N] [--clients N…] [--rounds N] [--only sqlite|kafka]`. Medians of the rounds; the first
 * round warms up and is not counted.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { testingCluster, whySkipped } from '@loomlog/kafka-local/testing-cluster'
import { openKafkaLog } from '@loomlog/log/kafka'
import type { Log } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { writeResult } from '../../figures/result.ts'
import { utterances } from '../log/workload.ts'
import { closedLoop, type LoopResult } from './closed-loop.ts'
import { producerSide, type Side, sqliteSide } from './floors/bare-loop.ts'
import { gatewaySide, intakeSide } from './sides.ts'

const partitions = 4
const sideNames = ['bare', 'intake', 'gateway'] as const
type SideName = (typeof sideNames)[number]

interface Measurement extends LoopResult {
  readonly recordsOfABatch: number
}

type Comparison = { readonly [name in SideName]: Measurement } & {
  readonly clients: number
  /** The intake's, as a share of the bare loop's. */
  readonly rateRatio: number
  readonly p99Ratio: number
}

interface Amount {
  readonly size: number
  readonly rounds: number
  readonly clients: readonly number[]
}

type Sides = { readonly [name in SideName]: Side }

export async function benchAppend(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'string' },
      size: { type: 'string', default: '4000' },
      rounds: { type: 'string', default: '3' },
      clients: { type: 'string', multiple: true, default: ['1', '32', '256'] },
      only: { type: 'string' },
    },
  })
  const amount = {
    size: count('--size', values.size),
    rounds: count('--rounds', values.rounds),
    clients: values.clients.map((each) => count('--clients', each)),
  }
  const machine = `${cpus().length} cores, ${platform()}, Node ${process.versions.node}`
  console.log(`${machine}; ${amount.size} utterances, one a request, ${partitions} partitions, ${amount.rounds} rounds`)
  const results: { [name: string]: readonly Comparison[] } = {}
  for (const [name, run] of Object.entries({ sqlite: onSqlite, kafka: onKafka })) {
    if (values.only !== undefined && values.only !== name) continue
    const reason = name === 'kafka' ? await whySkipped() : null
    if (reason === null) results[name] = await run(amount)
    else console.log(`${name}: skipped, it ${reason}`)
  }
  await writeResult(values.json, 'bench -- append', { ...amount, ...results })
}

async function onSqlite(amount: Amount): Promise<readonly Comparison[]> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-bench-'))
  const log = openSqliteLog({ dir })
  try {
    const bare = async (codec: Codec) => sqliteSide(dir, partitions, codec)
    return await compared('sqlite', { log, dir, bare }, amount)
  } finally {
    await log.close()
    await rm(dir, { recursive: true, force: true })
  }
}

async function onKafka(amount: Amount): Promise<readonly Comparison[]> {
  const { options, stop } = await testingCluster()
  const log = await openKafkaLog(options)
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-bench-'))
  try {
    await log.createTopic({ name: 'bare', partitions, retentionMs: null })
    const bare = (codec: Codec) => producerSide(options.brokers, `${options.environment}.bare`, partitions, codec)
    return await compared('kafka', { log, dir, bare }, amount)
  } finally {
    await log.close()
    await stop()
    await rm(dir, { recursive: true, force: true })
  }
}

async function compared(
  name: string,
  { log, dir, bare }: { readonly log: Log; readonly dir: string; bare(codec: Codec): Promise<Side> },
  { size, rounds, clients }: Amount,
): Promise<readonly Comparison[]> {
  await log.createTopic({ name: 'utterances', partitions, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const options = { log, codec, dir }
  const sides: Sides = { bare: await bare(codec), intake: intakeSide(options), gateway: await gatewaySide(options) }
  const results: Comparison[] = []
  for (const each of clients) {
    const result = await comparedWith(each, { sides, size: Math.min(size, each * 200), rounds })
    results.push(result)
    tell(name, result)
  }
  for (const side of Object.values(sides)) await side.close()
  return results
}

async function comparedWith(
  clients: number,
  { sides, size, rounds }: { readonly sides: Sides; readonly size: number; readonly rounds: number },
): Promise<Comparison> {
  const measured: { readonly [name in SideName]: Measurement[] } = { bare: [], intake: [], gateway: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const name of sideNames) {
      const result = await measure(sides[name], `${clients}-${round}-${name}`, { clients, size })
      if (round > 0) measured[name].push(result)
    }
  }
  const medians = {
    bare: medianOf(measured.bare),
    intake: medianOf(measured.intake),
    gateway: medianOf(measured.gateway),
  }
  const rateRatio = medians.intake.perSecond / medians.bare.perSecond
  return { clients, ...medians, rateRatio, p99Ratio: medians.intake.p99Ms / medians.bare.p99Ms }
}

async function measure(
  side: Side,
  run: string,
  loop: { readonly clients: number; readonly size: number },
): Promise<Measurement> {
  const events: readonly UtteranceAppended[] = utterances(loop.size).map((event) => ({
    ...event,
    id: `${run}-${event.id}`,
  }))
  const before = side.batches.length
  const result = await closedLoop((n) => side.append(events[n] as UtteranceAppended), loop)
  return { ...result, recordsOfABatch: loop.size / (side.batches.length - before) }
}

function medianOf(rounds: readonly Measurement[]): Measurement {
  const of = (field: keyof Measurement) => {
    const sorted = rounds.map((round) => round[field]).sort((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? 0
  }
  return { perSecond: of('perSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms'), recordsOfABatch: of('recordsOfABatch') }
}

function tell(log: string, result: Comparison): void {
  console.log(
    `\n${log}, ${result.clients} clients: the intake has ${result.rateRatio.toFixed(2)} of the bare loop's rate, ${result.p99Ratio.toFixed(2)} times its p99`,
  )
  for (const name of sideNames) {
    const { perSecond, p50Ms, p99Ms, recordsOfABatch } = result[name]
    const rate = Math.round(perSecond).toLocaleString('en')
    console.log(
      `  ${name}: ${rate} utterances/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${recordsOfABatch.toFixed(1)} a write`,
    )
  }
}

function count(name: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new LoomlogError('input-invalid', `${name} is ${text}: expected a whole number from 1 on`)
}
