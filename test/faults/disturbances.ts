/**
 * What may befall a flow. Each goes on for a while, chooses by chance that can be had again, and leaves everything running.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalKafka } from '@loomlog/kafka-local/kafka-local'
import type { CrashPoint } from '@loomlog/log/crash-points'
import type { Disturbed } from './flow.ts'

export interface Chance {
  readonly random: () => number
  readonly seconds: number
}

type Disturbance = (flow: Disturbed) => Promise<void>

/** Instances come and go every few seconds: told to stop, killed, or stopped for a while. Writers are killed as well. */
export function comingAndGoing({ random, seconds }: Chance): Disturbance {
  return async ({ instances, writers, killWriter, say }) => {
    const end = performance.now() + seconds * 1_000
    while (performance.now() < end) {
      const at = Math.floor(random() * instances.length)
      const [chosen, how] = [instances[at], random()]
      await sleep(1_000 + random() * 3_000)
      if (random() < 0.3) killWriter(Math.floor(random() * writers))
      if (!chosen) continue
      if (!chosen.isUp) {
        say(`instance ${at} comes`)
        chosen.start()
      } else if (how < 0.3) {
        const ms = Math.round(1_000 + random() * 9_000)
        say(`instance ${at} is stopped for ${ms} ms`)
        chosen.signal('SIGSTOP')
        await sleep(ms)
        chosen.signal('SIGCONT')
      } else {
        const signal = how < 0.7 ? 'SIGKILL' : 'SIGTERM'
        say(`instance ${at} goes by ${signal}`)
        await chosen.end(signal)
      }
    }
    for (const instance of instances) instance.start()
  }
}

/** One node after another dies with kill -9, and comes back; of several, none dies before the one before has caught up. */
export function dyingNodes(kafka: LocalKafka, { random, seconds }: Chance): Disturbance {
  return async ({ say }) => {
    const end = performance.now() + seconds * 1_000
    while (performance.now() < end) {
      await sleep(2_000 + random() * 6_000)
      const node = 1 + Math.floor(random() * kafka.brokers.length)
      const ms = Math.round(500 + random() * 8_000)
      await kafka.kill9(node)
      say(`node ${node} of ${kafka.brokers.length} is killed, for ${ms} ms`)
      await sleep(ms)
      await kafka.restart(node)
      say(`node ${node} is back`)
    }
    await sleep(2_000)
  }
}

export interface Stop {
  readonly point: CrashPoint
  readonly pass: number
}

/**
 * The only owner is stopped at a point, long enough for another to take all it had and to go on; then it is resumed, must be told
 * that it was fenced, and must leave no trace.
 */
export function stoppedOwners(stops: readonly Stop[], sessionMs: number): Disturbance {
  return async ({ instances, caughtUp, say }) => {
    const [zombie, heir] = instances
    if (!zombie || !heir) throw new Error('this takes two instances')
    for (const { point, pass } of stops) {
      await Promise.all([zombie.end('SIGTERM'), heir.end('SIGTERM')])
      zombie.start({ LOOMLOG_STOP_AT: `${point}:${pass}` })
      await zombie.untilStopped(stopWithinMs)
      say(`an owner is stopped at ${point}:${pass}`)
      await sleep(sessionMs)
      heir.start()
      await heir.url()
      await caughtUp()
      const before = zombie.timesFenced
      zombie.signal('SIGCONT')
      say('another has gone on, and it is resumed')
      const deadline = performance.now() + stopWithinMs
      while (zombie.timesFenced === before) {
        if (performance.now() > deadline) throw new Error(`resumed after ${point}, it was never told that it is fenced`)
        await sleep(200)
      }
      say('it is fenced')
    }
  }
}

/** How long a point may take to be reached, and a fenced owner to find out. */
const stopWithinMs = 120_000
