/**
 * Watches a running process: whether its log answers, whether its leases make progress, and whether it can derive the
 * live generation. Each finding is a condition (conditions.ts), so that logs, /readyz, /livez and the status agree.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import type { GenerationsFollower } from '@loomlog/generations/follower'
import type { Generation, Generations } from '@loomlog/generations/generations'
import { liveGeneration, liveGenerations } from '@loomlog/generations/pointers'
import { publishConditions, removeStaleConditions, withdrawConditions } from './condition-board.ts'
import { type Conditions, formatSeconds } from './conditions.ts'
import { missingStageReason } from './extensions.ts'
import type { LeaseLag } from './lease-progress.ts'
import { liveGroups } from './live-groups.ts'
import type { Host } from './open.ts'
import { withTimeout } from './with-timeout.ts'

/** Why this process can't do its work for a generation; null: it can. */
export type FrozenCheck = (known: Generations, generation: Generation) => string | null

export interface ServiceWatchOptions {
  readonly host: Host
  readonly follower: Pick<GenerationsFollower, 'current'>
  readonly conditions: Conditions
  readonly frozenCheck: FrozenCheck
}

const pollMs = 2_000
/** A log that answers later than this is away. */
const answerWithinMs = 5_000
/** A failure that didn't recur for this long is over. */
const quietMs = 10_000
/** Readiness ignores shorter pauses, such as those of an endpoint's rate limit. */
const longPauseMs = 30_000
/** A live stage is reported as behind after this share of the stall limit. */
const behindShare = 0.2

export class ServiceWatch {
  readonly #options: ServiceWatchOptions
  readonly #closing = new AbortController()
  #stalled: string | null = null
  #looping: Promise<void> = Promise.resolve()

  private constructor(options: ServiceWatchOptions) {
    this.#options = options
  }

  static start(options: ServiceWatchOptions): ServiceWatch {
    const watch = new ServiceWatch(options)
    watch.#looping = watch.#loop()
    return watch
  }

  /** A stalled partition of the live generation, described; null: there is none. A restart may help. */
  get stalled(): string | null {
    return this.#stalled
  }

  /** Why the process does not do its work for the live generation now; null: it does. */
  get notReady(): string | null {
    const { follower, conditions, host } = this.#options
    const known = follower.current
    if (liveGeneration(known, null) === null)
      return 'no generation is live yet: loomlog init, ingest or up makes the first'
    const away = conditions.current.get('log')
    if (away) return away.text
    const denied = conditions.current.get(unauthorizedCondition)
    if (denied) return denied.text
    const frozen = this.#frozen(known)
    if (frozen !== null) return frozen
    for (const [name, { text, since }] of conditions.current) {
      const isLive = [...liveGroups(known, host)].some((group) => name === backoffCondition(group))
      if (isLive && Date.now() - since > longPauseMs) return text
    }
    return this.#stalled
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#looping
    await withdrawConditions(this.#options.host.config.dir)
  }

  async #loop(): Promise<void> {
    const { signal } = this.#closing
    await removeStaleConditions(this.#options.host.config.dir)
    while (!signal.aborted) {
      await this.#check()
      await publishConditions(this.#options.host.config.dir, this.#options.conditions)
      await sleep(pollMs, undefined, { signal }).catch(() => {})
    }
  }

  async #check(): Promise<void> {
    const { host, follower, conditions } = this.#options
    const frozen = this.#frozen(follower.current)
    if (frozen === null) conditions.end('frozen', 'the live generation is derived here again')
    else conditions.begin('frozen', frozen)
    for (const name of conditions.current.keys()) {
      const isOver = name.startsWith('failing ') && (conditions.quietMs(name) ?? 0) > quietMs
      if (isOver) conditions.end(name, `works again (${name.replace('failing ', '')})`)
    }
    try {
      const lags = await withTimeout(answerWithinMs, host.progress.lags(host.log))
      await withTimeout(answerWithinMs, host.log.endOffsets('generations'))
      if ((conditions.quietMs('log') ?? 0) > pollMs) conditions.end('log', 'the log answers again')
      this.#note(lags)
    } catch (error) {
      if (this.#closing.signal.aborted) return
      if (isLoomlogError(error, 'log-unauthorized')) conditions.begin(unauthorizedCondition, error.message)
      else conditions.begin('log', `the log is away: ${(error as Error).message}`)
    }
  }

  #note(lags: readonly LeaseLag[]): void {
    const { conditions, host, follower } = this.#options
    const live = liveGroups(follower.current, host)
    const lasting = new Set<string>()
    this.#stalled = null
    for (const lag of lags) {
      for (const finding of this.#findings(lag, live)) {
        const [name, text] = [`${finding} ${lag.group}`, `${finding}: ${lagText(lag)}`]
        lasting.add(name)
        if (!conditions.current.has(name)) conditions.begin(name, text)
        if (finding === 'stalled' && live.has(lag.group)) this.#stalled = text
      }
    }
    for (const name of conditions.current.keys()) {
      if (/^(behind|rebuilding|stalled) /.test(name) && !lasting.has(name))
        conditions.end(name, `${name.replace(/^\S+ /, '')} has caught up`)
    }
  }

  #findings({ group, behindMs, sinceFinishedMs, reads }: LeaseLag, live: ReadonlySet<string>) {
    const { conditions, host } = this.#options
    const { stallMs } = host.config
    const isStill = behindMs > stallMs && sinceFinishedMs > stallMs
    const findings: ('behind' | 'rebuilding' | 'stalled')[] = []
    if (reads === 'again') findings.push('rebuilding')
    if (live.has(group) && behindMs > stallMs * behindShare) findings.push('behind')
    if (isStill && !conditions.current.has(backoffCondition(group))) findings.push('stalled')
    return findings
  }

  #frozen(known: Generations): string | null {
    const { host, frozenCheck } = this.#options
    for (const id of liveGenerations(known)) {
      const generation = known.generations.get(id)
      if (generation === undefined) continue
      const reason = missingStageReason(host.topics, generation) ?? frozenCheck(known, generation)
      if (reason !== null) return `frozen: ${reason}`
    }
    return null
  }
}

/** The condition of a denied ACL, as noteTemporaryFailure names it. */
const unauthorizedCondition = 'failing log-unauthorized'

/** The condition of a group that waits for an endpoint. */
export function backoffCondition(group: string): string {
  return `paused ${group}`
}

function lagText({ group, topic, partition, position, end, behindMs, sinceFinishedMs }: LeaseLag): string {
  const still = sinceFinishedMs > behindMs / 2 ? `, and has not moved for ${formatSeconds(sinceFinishedMs)}` : ''
  return `${group} is at ${position} of ${end} in partition ${partition} of ${topic}, behind for ${formatSeconds(behindMs)}${still}`
}
