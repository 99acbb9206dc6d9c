/**
 * Utterances a second through a null processor, on each log, beside the floor in the same run: `npm run bench -- log
 * [--json FILE] [--size N] [--rounds N] [--only sqlite|kafka] [--streams]`. Kafka is that of the tests: brokers from
 * the environment, or a local one started for the run. With --streams, Kafka Streams runs the same workload on it.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { skipReason, testingCluster } from '@loomlog/kafka-local/testing-cluster'
import { openKafkaLog } from '@loomlog/log/kafka'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { writeResult } from '../../figures/result.ts'
import { type CompareOptions, type Comparison, compareWithFloors } from './compare.ts'
import { runKafkaFloor } from './floors/kafka.ts'
import { runSqliteFloor } from './floors/sqlite.ts'
import { measureStreams } from './streams.ts'

interface Amount extends Pick<CompareOptions, 'size' | 'rounds' | 'partitions'> {
  readonly withStreams: boolean
}

/** `streamsPerSecond` only with --streams. */
type Result = Comparison & { readonly streamsPerSecond?: number }

const logs: { readonly [name: string]: (amount: Amount) => Promise<Result> } = { sqlite: onSqlite, kafka: onKafka }
const partitions = 4

export async function benchLog(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'string' },
      size: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '5' },
      only: { type: 'string' },
      streams: { type: 'boolean', default: false },
    },
  })
  const amount = {
    size: count('--size', values.size),
    rounds: count('--rounds', values.rounds),
    partitions,
    withStreams: values.streams ?? false,
  } as const
  const machine = `${cpus().length} cores, ${platform()}, Node ${process.versions.node}`
  console.log(`${machine}; ${amount.size} utterances, ${partitions} partitions, ${amount.rounds} rounds`)
  const results: { [name: string]: Result } = {}
  for (const [name, run] of Object.entries(logs)) {
    if (values.only !== undefined && values.only !== name) continue
    const skipped = name === 'kafka' ? await skipReason() : null
    if (skipped !== null) {
      console.log(`${name}: skipped, it ${skipped}`)
      continue
    }
    const compared = await run(amount)
    results[name] = compared
    tell(name, compared)
  }
  await writeResult(values.json, 'bench -- log', { ...amount, ...results })
}

async function onSqlite(amount: Amount): Promise<Comparison> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-bench-'))
  const log = openSqliteLog({ dir: join(dir, 'loomlog') })
  try {
    return await compareWithFloors({
      log,
      ...amount,
      async floor(size, input) {
        const own = await mkdtemp(join(dir, 'floor-'))
        const run = runSqliteFloor({ ...size, dir: own, input })
        await rm(own, { recursive: true })
        return run
      },
    })
  } finally {
    await log.close()
    await rm(dir, { recursive: true, force: true })
  }
}

async function onKafka(amount: Amount): Promise<Result> {
  const { options, stop } = await testingCluster()
  const log = await openKafkaLog(options)
  const inKafka = (name: string) => `${options.environment}.${name}`
  let runs = 0
  try {
    const compared = await compareWithFloors({
      log,
      ...amount,
      async floor(size) {
        runs += 1
        const names = { output: `floor-output-${runs}`, state: `floor-state-${runs}` }
        for (const name of Object.values(names)) await log.createTopic({ name, partitions, retentionMs: null })
        const topics = { input: inKafka('utterances'), output: inKafka(names.output), state: inKafka(names.state) }
        return runKafkaFloor({ ...size, ...topics, brokers: options.brokers, size: amount.size })
      },
    })
    if (!amount.withStreams) return compared
    await log.createTopic({ name: 'streams-output', partitions, retentionMs: null })
    const topics = { input: inKafka('utterances'), output: inKafka('streams-output') }
    const streams = { ...topics, brokers: options.brokers, size: amount.size, partitions }
    return { ...compared, streamsPerSecond: await measureStreams({ ...streams, outputBytes: compared.bytes.output }) }
  } finally {
    await log.close()
    await stop()
  }
}

function tell(name: string, result: Result): void {
  const { micros, bytes, cpuMicros } = result
  const whole = (value: number) => Math.round(value).toLocaleString('en')
  // The work that no floor does: decoding, admission, the step and encoding.
  const beyond = micros.decode + micros.admission + micros.step + micros.encode
  const parts = Object.entries(micros).map(([part, value]) => `${part} ${value.toFixed(1)}`)
  console.log(`
${name}: ${whole(result.utterancesPerSecond)} utterances/s, ${result.ratioToFloor.toFixed(2)} of the floor (${whole(result.floorPerSecond)}/s), ${result.ratioToFloorWithState.toFixed(2)} of the floor that writes state as well (${whole(result.floorWithStatePerSecond)}/s)
  commits: ${result.commitsPerSecond.toFixed(1)}/s of ${whole(result.recordsOfACommit)} utterances, ${result.commitMs.toFixed(1)} ms each
  µs an utterance, each part alone: ${parts.join(', ')}
  µs of the processor an utterance: ${cpuMicros.loomlog.toFixed(1)}; the floor's ${cpuMicros.floor.toFixed(1)}, with state ${cpuMicros.floorWithState.toFixed(1)}. Decoding, admission, step and encoding, which it leaves out, take ${beyond.toFixed(1)}: a floor with them would reach ${(cpuMicros.floor / (cpuMicros.floor + beyond)).toFixed(2)} of itself
  bytes an utterance: ${bytes.input} in, ${bytes.output} out, ${bytes.state} of state and its key`)
  if (result.streamsPerSecond !== undefined)
    console.log(`  Kafka Streams, exactly_once_v2, without state: ${whole(result.streamsPerSecond)}/s`)
}

function count(name: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new LoomlogError('input-invalid', `${name} is ${text}: expected a whole number from 1 on`)
}
