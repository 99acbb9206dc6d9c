/**
 * Appends of one utterance each, by clients in a closed loop, beside a bare loop with the same durability in the same
 * run: `npm run bench
 * -- append [--json FILE] [--seconds N] [--clients N…] [--rounds N] [--only sqlite|kafka]`. The sides take turns of
 * `--seconds`; the results are medians of the rounds. The HTTP clients are a process of their own. A warm-up before the
 * first round compiles the code of every side and brings its write-ahead log to its full size. Afterwards: a bare
 * fsync, and requests of 100 utterances (durable-writes.ts).
 */
import { cpus, platform } from 'node:os'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { skipReason } from '@loomlog/kafka-local/testing-cluster'
import { Codec } from '@loomlog/schemas/codec'
import { writeResult } from '../../figures/result.ts'
import { type BenchLog, type BenchLogs, onKafka, onSqlite, partitions } from './bench-logs.ts'
import type { LoopResult } from './closed-loop.ts'
import { type DurableWrites, measureDurableWrites } from './durable-writes.ts'
import { bareHttpSide, bareSide, gatewaySide, intakeSide, type Side } from './sides.ts'

const sideNames = ['bare', 'intake', 'bareHttp', 'gateway'] as const
const labels: { readonly [name in SideName]: string } = {
  bare: 'bare loop',
  intake: 'intake',
  bareHttp: 'bare loop over HTTP',
  gateway: 'gateway',
}
/** Duration of the warm-up of each side. */
const warmUp = { clients: 256, seconds: 5 }
type SideName = (typeof sideNames)[number]

interface Measurement extends LoopResult {
  readonly recordsOfABatch: number
}

type Comparison = { readonly [name in SideName]: Measurement } & {
  readonly clients: number
  /** The intake's rate and p99, relative to the bare loop's. */
  readonly rateRatio: number
  readonly p99Ratio: number
  /** The gateway's rate and p99, relative to those of the bare loop over HTTP. */
  readonly httpRateRatio: number
  readonly httpP99Ratio: number
}

interface Amount {
  readonly seconds: number
  readonly rounds: number
  readonly clients: readonly number[]
}

type Sides = { readonly [name in SideName]: Side }

export async function benchAppend(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'string' },
      seconds: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '4' },
      clients: { type: 'string', multiple: true, default: ['1', '32', '256'] },
      only: { type: 'string' },
    },
  })
  const amount = {
    seconds: count('--seconds', values.seconds),
    rounds: count('--rounds', values.rounds),
    clients: values.clients.map((each) => count('--clients', each)),
  }
  const machine = `${cpus().length} cores, ${platform()}, Node ${process.versions.node}`
  console.log(
    `${machine}; one utterance a request, ${partitions} partitions, ${amount.rounds} rounds of ${amount.seconds} s`,
  )
  const results: { [name: string]: readonly Comparison[] } = {}
  const durable: { [name: string]: DurableWrites } = {}
  for (const [name, open] of Object.entries({ sqlite: onSqlite, kafka: onKafka })) {
    if (values.only !== undefined && values.only !== name) continue
    const reason = name === 'kafka' ? await skipReason() : null
    if (reason !== null) {
      console.log(`${name}: skipped, it ${reason}`)
      continue
    }
    const logs = await open()
    const { comparisons, writes } = await compareSides(name, logs, amount).finally(() => logs.close())
    results[name] = comparisons
    durable[name] = writes
  }
  await writeResult(values.json, 'bench -- append', { ...amount, ...results, durable })
}

async function compareSides(
  name: string,
  { intake, gateway, bare }: BenchLogs,
  { seconds, rounds, clients }: Amount,
): Promise<{ readonly comparisons: readonly Comparison[]; readonly writes: DurableWrites }> {
  const optionsOf = async ({ log, dir }: BenchLog) => {
    await log.createTopic({ name: 'utterances', partitions, retentionMs: null })
    return { log, dir, codec: await Codec.open(log.schemas) }
  }
  const options = await optionsOf(intake)
  const loop = await bare(options.codec)
  const served = await gatewaySide(await optionsOf(gateway))
  const direct = intakeSide(options)
  const sides: Sides = { bare: bareSide(loop), intake: direct, bareHttp: await bareHttpSide(loop), gateway: served }
  try {
    for (const name of sideNames) await measure(sides[name], `warm-${name}`, warmUp)
    const comparisons: Comparison[] = []
    for (const each of clients) {
      const result = await compareAt(each, { sides, seconds, rounds })
      comparisons.push(result)
      tell(name, result)
    }
    const writes = await measureDurableWrites({ ...options, intake: direct, gateway: served }, { seconds, rounds })
    tellWrites(name, writes)
    return { comparisons, writes }
  } finally {
    for (const name of sideNames.toReversed()) await sides[name].close()
  }
}

async function compareAt(
  clients: number,
  { sides, seconds, rounds }: { readonly sides: Sides; readonly seconds: number; readonly rounds: number },
): Promise<Comparison> {
  const measured: { readonly [name in SideName]: Measurement[] } = { bare: [], intake: [], bareHttp: [], gateway: [] }
  for (let round = 0; round < rounds; round++) {
    for (const name of sideNames) {
      measured[name].push(await measure(sides[name], `${clients}-${round}-${name}`, { clients, seconds }))
    }
  }
  const medians = {
    bare: medianOf(measured.bare),
    intake: medianOf(measured.intake),
    bareHttp: medianOf(measured.bareHttp),
    gateway: medianOf(measured.gateway),
  }
  const { bare, intake, bareHttp, gateway } = medians
  return {
    clients,
    ...medians,
    rateRatio: intake.perSecond / bare.perSecond,
    p99Ratio: intake.p99Ms / bare.p99Ms,
    httpRateRatio: gateway.perSecond / bareHttp.perSecond,
    httpP99Ratio: gateway.p99Ms / bareHttp.p99Ms,
  }
}

async function measure(
  side: Side,
  run: string,
  loop: { readonly clients: number; readonly seconds: number },
): Promise<Measurement> {
  const before = side.batches.length
  const result = await side.measure({ run, request: 'one', ...loop })
  return { ...result, recordsOfABatch: result.count / (side.batches.length - before) }
}

function medianOf(rounds: readonly Measurement[]): Measurement {
  const of = (field: keyof Measurement) => {
    const sorted = rounds.map((round) => round[field]).sort((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? 0
  }
  return {
    count: of('count'),
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    recordsOfABatch: of('recordsOfABatch'),
  }
}

function tell(log: string, result: Comparison): void {
  console.log(
    `\n${log}, ${result.clients} clients: the intake has ${result.rateRatio.toFixed(2)} of the bare loop's rate, ${result.p99Ratio.toFixed(2)} times its p99;` +
      ` the gateway ${result.httpRateRatio.toFixed(2)} and ${result.httpP99Ratio.toFixed(2)} of those over HTTP`,
  )
  for (const name of sideNames) {
    const { perSecond, p50Ms, p99Ms, recordsOfABatch } = result[name]
    const rate = Math.round(perSecond).toLocaleString('en')
    console.log(
      `  ${labels[name]}: ${rate} utterances/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${recordsOfABatch.toFixed(1)} a write`,
    )
  }
}

function tellWrites(log: string, { fsync, hundreds }: DurableWrites): void {
  console.log(`\n${log}: a bare fsync p50 ${fsync.p50Ms.toFixed(1)} ms, p99 ${fsync.p99Ms.toFixed(1)} ms`)
  for (const [name, { perSecond, p99Ms }] of Object.entries(hundreds)) {
    const [rate, share] = [Math.round(perSecond).toLocaleString('en'), perSecond / hundreds.log.perSecond]
    console.log(`  ${name}, 100 a request: ${rate} utterances/s (${share.toFixed(2)}), p99 ${p99Ms.toFixed(1)} ms`)
  }
}

function count(name: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new LoomlogError('input-invalid', `${name} is ${text}: expected a whole number from 1 on`)
}
