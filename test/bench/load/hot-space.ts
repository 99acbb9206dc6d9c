/** One space with many concurrent conversations: processing should keep up with the utterances, with a bounded lag. */
import { setTimeout as sleep } from 'node:timers/promises'
import { askAll, type Cluster, openWorld, utterance, type World } from './world.ts'

export interface HotSpaceOptions {
  readonly utterancesPerSecond: number
  readonly seconds: number
  readonly conversations: number
  readonly modelMs: number
  readonly maxConcurrent: number
}

export interface HotSpace extends HotSpaceOptions {
  readonly utterances: number
  /** The largest number of appended and unprocessed utterances, in each quarter of the time. */
  readonly mostLag: readonly number[]
  /** Time from the call of the append to the output at a reader. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly errors: number
}

const stepMs = 100
const beforehand = 'beforehand'

/** Waits until the stage runs, so that its start is not measured. */
async function untilStarted(made: World, waits: number[]): Promise<void> {
  await made.append([utterance(beforehand, 'c', 0)])
  while (waits.length === 0) await sleep(10)
  waits.length = 0
}

export async function measureHotSpace(cluster: Cluster, options: HotSpaceOptions): Promise<HotSpace> {
  const { utterancesPerSecond, seconds, conversations, modelMs, maxConcurrent } = options
  const made = await openWorld(cluster)
  const appendedAt = new Map<string, number>()
  const waits: number[] = []
  const asked = await askAll(made, {
    latencyMs: modelMs,
    maxConcurrent,
    sessionMs: 10_000,
    onOutput(_, ids) {
      for (const id of ids) waits.push(performance.now() - (appendedAt.get(id) ?? 0))
    },
  })
  try {
    await untilStarted(made, waits)
    const steps = (seconds * 1_000) / stepMs
    const ofAStep = (utterancesPerSecond * stepMs) / 1_000
    const mostLag = [0, 0, 0, 0]
    const startedAt = performance.now()
    let next = 0
    for (let step = 0; step < steps; step++) {
      const now = Array.from({ length: Math.round((step + 1) * ofAStep) - next }, (_, at) =>
        utterance('hot', `c${(next + at) % conversations}`, next + at),
      )
      next += now.length
      for (const { id } of now) appendedAt.set(id, performance.now())
      await made.append(now)
      const quarter = Math.floor((4 * step) / steps)
      mostLag[quarter] = Math.max(mostLag[quarter] ?? 0, next - waits.length)
      await sleep(Math.max(0, startedAt + (step + 1) * stepMs - performance.now()))
    }
    while (waits.length < next) await sleep(10)
    const sorted = waits.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    return { ...options, utterances: next, mostLag, p50Ms: at(0.5), p99Ms: at(0.99), errors: asked.errors.length }
  } finally {
    await asked.close()
    await made.close()
  }
}
