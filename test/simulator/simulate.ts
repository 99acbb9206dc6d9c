/** Runs histories one after the other, until one is wrong. */
import { Codec } from '@loomlog/schemas/codec'
import { runHistory } from './history.ts'
import { Cluster } from './log/cluster.ts'
import { MemoryLog } from './log/memory-log.ts'

/** Confluent wire format: 0, and the schema's id in four bytes. */
const headerBytes = 5

export interface SimulationReport {
  /** The seed of the last history: run it again with `--seed` and `--histories 1`. */
  readonly seed: number
  readonly histories: number
  readonly historiesPerMinute: number
  readonly events: number
  readonly kills: number
  readonly virtualHours: number
  /** The number of fired timers. */
  readonly timers: number
  /** Rules that the last history breaks; empty if all are right. */
  readonly violations: readonly string[]
}

export async function simulate(options: {
  readonly seed: number
  readonly histories: number
}): Promise<SimulationReport> {
  const codec = await warmCodec()
  const startedAt = performance.now()
  const sum = { events: 0, kills: 0, virtualMs: 0, timers: 0 }
  let violations: readonly string[] = []
  let count = 0
  while (count < options.histories && violations.length === 0) {
    const outcome = await runHistory(options.seed + count, codec)
    count += 1
    sum.events += outcome.events
    sum.kills += outcome.kills
    sum.virtualMs += outcome.virtualMs
    sum.timers += outcome.timers
    violations = outcome.violations
  }
  const minutes = (performance.now() - startedAt) / 60_000
  return {
    seed: options.seed + count - 1,
    histories: count,
    historiesPerMinute: Math.round(count / minutes),
    events: sum.events,
    kills: sum.kills,
    timers: sum.timers,
    virtualHours: Math.round(sum.virtualMs / 36_000) / 100,
    violations,
  }
}

/**
 * A codec that has loaded every schema. The first use of a schema takes more turns of the event loop, and a history
 * must not depend on earlier ones.
 */
async function warmCodec(): Promise<Codec> {
  const cluster = new Cluster({ latencyMs: () => 0, writeOutcome: () => 'done' })
  const codec = await Codec.open(new MemoryLog(cluster).schemas)
  for (const id of cluster.schemas.keys()) {
    const header = Buffer.alloc(headerBytes)
    header.writeInt32BE(id + 1, 1)
    await codec.decode(header).catch(() => {})
  }
  return codec
}
