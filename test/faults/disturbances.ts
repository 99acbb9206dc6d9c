/** Disturbances of a flow. Each lasts for a while, chooses by seeded randomness, and leaves every process running. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalKafka } from '@loomlog/kafka-local/kafka-local'
import type { CrashPoint } from '@loomlog/log/crash-points'
import type { FlowControl } from './flow.ts'
import type { Instance } from './instance.ts'

export interface DisturbanceOptions {
  readonly random: () => number
  readonly seconds: number
}

type Disturbance = (flow: FlowControl) => Promise<void>

/** Ends an instance every few seconds with SIGTERM, kills it, or stops it for a while. Writers are killed, too. */
export function instanceChurn({ random, seconds }: DisturbanceOptions): Disturbance {
  return async ({ instances, writers, killWriter, say }) => {
    const end = performance.now() + seconds * 1_000
    while (performance.now() < end) {
      const at = Math.floor(random() * instances.length)
      const [chosen, how] = [instances[at], random()]
      await sleep(1_000 + random() * 3_000)
      if (random() < 0.3) killWriter(Math.floor(random() * writers))
      if (!chosen) continue
      if (!chosen.isUp) {
        say(`instance ${at} starts`)
        chosen.start()
      } else if (how < 0.3) {
        const ms = Math.round(1_000 + random() * 9_000)
        say(`instance ${at} is stopped for ${ms} ms`)
        chosen.signal('SIGSTOP')
        await sleep(ms)
        chosen.signal('SIGCONT')
      } else {
        const signal = how < 0.7 ? 'SIGKILL' : 'SIGTERM'
        say(`instance ${at} is ended by ${signal}`)
        await chosen.end(signal)
      }
    }
    for (const instance of instances) instance.start()
  }
}

/**
 * Kills one broker after another with kill -9 and starts it again. If there are several, each has caught up before the
 * next is killed.
 */
export function brokerKills(kafka: LocalKafka, { random, seconds }: DisturbanceOptions): Disturbance {
  return async ({ say }) => {
    const end = performance.now() + seconds * 1_000
    while (performance.now() < end) {
      await sleep(2_000 + random() * 6_000)
      const node = 1 + Math.floor(random() * kafka.brokers.length)
      const ms = Math.round(500 + random() * 8_000)
      say(`node ${node} of ${kafka.brokers.length} is killed, for ${ms} ms`)
      await killBroker(kafka, node, ms)
      say(`node ${node} is back`)
    }
    await sleep(2_000)
  }
}

/** Returns when the broker is back and, if there are others, has caught up. */
export async function killBroker(kafka: LocalKafka, node: number, ms: number): Promise<void> {
  await kafka.kill9(node)
  await sleep(ms)
  await kafka.restart(node)
}

export interface Stop {
  readonly point: CrashPoint
  readonly pass: number
}

/** Stops an owner at one point after another. Each time it is the only owner. */
export function ownerStops(stops: readonly Stop[], sessionMs: number): Disturbance {
  return async (flow) => {
    for (const stop of stops) {
      const [zombie, heir] = pair(flow)
      await Promise.all([zombie.end('SIGTERM'), heir.end('SIGTERM')])
      zombie.start(stopEnvironment(stop))
      await stopPastSession(flow, stop, sessionMs)
    }
  }
}

/** The environment of an instance that stops itself at the point. */
export function stopEnvironment({ point, pass }: Stop): { readonly [name: string]: string } {
  return { LOOMLOG_STOP_AT: `${point}:${pass}` }
}

/**
 * Stops the only owner at the point until another instance has taken all its partitions and continues. Then it resumes
 * the owner, whose commit must fail with `fenced`.
 */
export async function stopPastSession(flow: FlowControl, { point, pass }: Stop, sessionMs: number): Promise<void> {
  const [zombie, heir] = pair(flow)
  await zombie.untilStopped(stopWithinMs)
  flow.say(`an owner is stopped at ${point}:${pass}`)
  await sleep(sessionMs)
  heir.start()
  await heir.url()
  await flow.caughtUp()
  const refusal = point.startsWith('view.') ? /another writer opened table/ : /has another owner|is no longer held/
  const refusals = () => zombie.warnings.filter((line) => refusal.test(line)).length
  const before = refusals()
  zombie.signal('SIGCONT')
  flow.say('another owner has continued; the stopped one is resumed')
  const deadline = performance.now() + stopWithinMs
  while (refusals() === before) {
    if (performance.now() > deadline) throw new Error(`resumed after ${point}, its commit was never fenced`)
    await sleep(100)
  }
  flow.say('the resumed owner is fenced')
}

function pair({ instances }: FlowControl): readonly [zombie: Instance, heir: Instance] {
  const [zombie, heir] = instances
  if (!zombie || !heir) throw new Error('this takes two instances')
  return [zombie, heir]
}

/** Longest time until a point is reached, or until a fenced owner notices; a busy machine is slow. */
const stopWithinMs = 300_000
