/**
 * Compares one log with its floors. Rounds of loomlog, the floor, and the floor with state take turns, so that other
 * work on the machine affects all of them. A run of loomlog and of the floor with state warms up before the rounds; the
 * results are medians of the rounds. The floors' transactions are as large as loomlog's in the same round.
 */
import type { Log, NewRecord } from '@loomlog/log/port'
import { Codec } from '@loomlog/schemas/codec'
import type { FloorRun, FloorSize } from './floors/floor.ts'
import { type LoomlogRun, outputsOf, runLoomlogSide } from './loomlog-side.ts'
import { measureParts, type PartTimes } from './parts.ts'
import { encodeAll, utterances } from './workload.ts'

export interface Comparison {
  /** loomlog's utterances a second, as a share of the floor's. */
  readonly ratioToFloor: number
  /** The same, relative to the floor that writes a state record for every utterance, as admission does. */
  readonly ratioToFloorWithState: number
  readonly utterancesPerSecond: number
  readonly floorPerSecond: number
  readonly floorWithStatePerSecond: number
  readonly recordsOfACommit: number
  readonly commitsPerSecond: number
  readonly commitMs: number
  /**
   * CPU time of this process an utterance, user and system. Other work on the machine affects it less than elapsed
   * time.
   */
  readonly cpuMicros: { readonly loomlog: number; readonly floor: number; readonly floorWithState: number }
  readonly micros: PartTimes
  readonly bytes: { readonly input: number; readonly output: number; readonly state: number }
}

export interface CompareOptions {
  readonly log: Log
  /** A floor's run over the records of `utterances`. */
  floor(size: FloorSize, input: readonly NewRecord[]): Promise<FloorRun>
  readonly partitions: number
  readonly size: number
  readonly rounds: number
}

interface Round {
  readonly loomlog: LoomlogRun
  readonly floor: FloorRun
  readonly withState: FloorRun
}

/** The size of admission's state record: 32 hex digits in quotes. */
const stateBytes = 34
const appendedAtOnce = 2_000

export async function compareWithFloors(options: CompareOptions): Promise<Comparison> {
  const { log, partitions, size, rounds } = options
  const codec = await Codec.open(log.schemas)
  const events = utterances(size)
  const records = encodeAll(codec, events)
  await append(options, records)
  const warmUp = await runLoomlogSide({ log, codec, partitions, derivation: 'warm-up', size })
  const values = await outputsIn(log, 'warm-up')
  const bytes = { input: meanBytes(records.map(({ value }) => value)), output: meanBytes(values), state: stateBytes }
  const floor = (run: LoomlogRun, state: number) =>
    options.floor(
      {
        partitions,
        recordsOfATransaction: Math.round(size / run.commits),
        outputBytes: bytes.output,
        stateBytes: state,
      },
      records,
    )
  await floor(warmUp, stateBytes)
  const measured: Round[] = []
  for (let round = 1; round <= rounds; round++) {
    const loomlog = await runLoomlogSide({ log, codec, partitions, derivation: `round-${round}`, size })
    measured.push({ loomlog, floor: await floor(loomlog, 0), withState: await floor(loomlog, stateBytes) })
  }
  const decoded = await Promise.all(values.map((value) => codec.decodeOwn(value)))
  const outputs = decoded.filter((event) => event !== null)
  const micros = await measureParts({ log, codec, events, records, outputs })
  return { ...summary(measured, size), micros, bytes }
}

async function append({ log, partitions }: CompareOptions, records: readonly NewRecord[]): Promise<void> {
  for (const name of ['utterances', 'parked']) await log.createTopic({ name, partitions, retentionMs: null })
  for (let at = 0; at < records.length; at += appendedAtOnce) {
    await log.append('utterances', records.slice(at, at + appendedAtOnce))
  }
}

/** The outputs of a run, without watermarks, which have no key. */
async function outputsIn(log: Log, derivation: string): Promise<readonly Uint8Array[]> {
  const values: Uint8Array[] = []
  for await (const batch of log.read({ topic: outputsOf(derivation), until: 'end' })) {
    for (const { key, value } of batch) if (key !== null) values.push(value)
  }
  return values
}

function meanBytes(values: readonly Uint8Array[]): number {
  return Math.round(values.reduce((sum, { byteLength }) => sum + byteLength, 0) / values.length)
}

function summary(rounds: readonly Round[], size: number): Omit<Comparison, 'micros' | 'bytes'> {
  const perSecond = (of: (round: Round) => number) => (size * 1_000) / median(rounds.map(of))
  const utterancesPerSecond = perSecond(({ loomlog }) => loomlog.ms)
  const floorPerSecond = perSecond(({ floor }) => floor.ms)
  const floorWithStatePerSecond = perSecond(({ withState }) => withState.ms)
  const recordsOfACommit = median(rounds.map(({ loomlog }) => size / loomlog.commits))
  return {
    ratioToFloor: utterancesPerSecond / floorPerSecond,
    ratioToFloorWithState: utterancesPerSecond / floorWithStatePerSecond,
    utterancesPerSecond,
    floorPerSecond,
    floorWithStatePerSecond,
    recordsOfACommit,
    commitsPerSecond: utterancesPerSecond / recordsOfACommit,
    commitMs: median(rounds.map(({ loomlog }) => loomlog.commitMs)),
    cpuMicros: {
      loomlog: median(rounds.map(({ loomlog }) => loomlog.cpuMicros)),
      floor: median(rounds.map(({ floor }) => floor.cpuMicros)),
      floorWithState: median(rounds.map(({ withState }) => withState.cpuMicros)),
    },
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
