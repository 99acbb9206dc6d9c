/**
 * One history: writers append source events, and processes derive from them. For a while there are faults: processes
 * are killed or stopped, writes fail or lose their reply, the model is slow or away. Then the faults end, and
 * everything must be derived in time.
 */
import { isLoomlogError } from '@loomlog/errors'
import type { Codec } from '@loomlog/schemas/codec'
import { spaceKey } from '@loomlog/schemas/ids'
import { catalogue, physicalTopic } from '@loomlog/topics/catalogue'
import { modelReply, noAnswer } from '../../packages/runtime/toy-processors.ts'
import { violations } from './check.ts'
import { Cluster, type WriteOutcome } from './log/cluster.ts'
import { MemoryLog } from './log/memory-log.ts'
import { background, live, SimulatedProcess, simulatedModel } from './process.ts'
import { type Random, randomOf } from './random.ts'
import { appendSize, sourceEvents, unanswerable } from './source-events.ts'
import { SimulatedViews } from './views.ts'
import { Owner, VirtualTime } from './virtual-time.ts'

export interface Outcome {
  /** The broken rules; empty if the history is right. */
  readonly violations: readonly string[]
  readonly events: number
  readonly kills: number
  readonly virtualMs: number
  readonly timers: number
}

const maxDisturbedMs = 8_000
/**
 * Longest time from the end of the faults until everything is derived. The model's slowest answer and its longest
 * backoff are over by then.
 */
const settleMs = 300_000
/** Poll interval of `#settle`. */
const lookMs = 100
/** A wrong history breaks many rules; a few of them are enough for a report. */
const maxViolations = 5

export async function runHistory(seed: number, codec: Codec): Promise<Outcome> {
  const history = new History(seed, codec)
  return history.run()
}

class History {
  readonly #random: Random
  readonly #codec: Codec
  readonly #time: VirtualTime
  readonly #cluster: Cluster
  readonly #views: SimulatedViews
  readonly #partitions: number
  readonly #derivations: readonly string[]
  readonly #sessionMs: number
  readonly #writeFaultOneIn: number
  readonly #processes: SimulatedProcess[] = []
  readonly #fatal: string[] = []
  #isDisturbed = true
  #started = 0
  #kills = 0
  #fencedReports = 0

  constructor(seed: number, codec: Codec) {
    this.#random = randomOf(seed)
    this.#codec = codec
    this.#time = new VirtualTime(this.#random)
    this.#partitions = 1 + this.#random(2)
    this.#derivations = this.#random(3) === 0 ? [live, background] : [live]
    this.#sessionMs = 200 + this.#random(2_000)
    this.#writeFaultOneIn = 4 + this.#random(60)
    this.#cluster = new Cluster({ latencyMs: () => this.#random(6), writeOutcome: () => this.#writeOutcome() })
    this.#views = new SimulatedViews(this.#cluster, codec, live)
  }

  async run(): Promise<Outcome> {
    const events = sourceEvents(this.#random)
    this.#time.install()
    try {
      const found = await this.#time.until(this.#live(events), maxDisturbedMs * 4 + settleMs * 2)
      return this.#outcome(events.length, [...this.#fatal, ...found])
    } catch (error) {
      return this.#outcome(events.length, [...this.#fatal, String(error)])
    } finally {
      await this.#time.uninstall()
    }
  }

  #outcome(events: number, all: readonly string[]): Outcome {
    return {
      violations: [...new Set(all)].slice(0, maxViolations),
      events,
      kills: this.#kills,
      virtualMs: this.#time.nowMs,
      timers: this.#time.fired,
    }
  }

  async #live(events: ReturnType<typeof sourceEvents>): Promise<readonly string[]> {
    await this.#createTopics()
    const written = this.#time.as(new Owner('writer'), () => this.#write(events))
    for (let count = 1 + this.#random(3); count > 0; count -= 1) this.#startProcess()
    await this.#disturb()
    this.#isDisturbed = false
    await written
    if (this.#processes.length === 0) this.#startProcess()
    await this.#settle()
    await Promise.all(this.#processes.map((process) => process.stop()))
    const inTopics = await violations(this.#cluster, this.#codec, this.#derivations)
    return [...this.#unreported(), ...inTopics, ...(await this.#views.violations())]
  }

  /** A killed process reports nothing more. */
  #unreported(): readonly string[] {
    const { fencedCommits } = this.#cluster
    if (this.#kills > 0 || this.#fencedReports === fencedCommits) return []
    return [`${fencedCommits} commits were refused as fenced, and ${this.#fencedReports} reported`]
  }

  async #createTopics(): Promise<void> {
    const log = new MemoryLog(this.#cluster)
    for (const spec of catalogue) {
      const partitions = spec.partitioning === 'one' ? 1 : this.#partitions
      const names = spec.derivedFrom === null ? [spec.name] : this.#derivations.map((each) => physicalTopic(spec, each))
      for (const topic of names) await log.createTopic({ name: topic, partitions, retentionMs: null })
    }
  }

  /** A failed append is repeated, so a record may be in the log twice. */
  async #write(events: ReturnType<typeof sourceEvents>): Promise<void> {
    const log = new MemoryLog(this.#cluster)
    for (let from = 0; from < events.length; ) {
      const size = appendSize(events.slice(from), 1 + this.#random(8))
      const batch = events.slice(from, from + size)
      const records = batch.map((event) => {
        const key = spaceKey(event.tenant, event.space)
        return { key, value: this.#codec.encode(event), timestamp: Date.now() }
      })
      try {
        await log.append('utterances', records)
        from += batch.length
      } catch (error) {
        if (!isLoomlogError(error, 'log-unavailable')) throw error
      }
      await sleep(this.#random(4) === 0 ? this.#random(1_500) : 0)
    }
  }

  async #disturb(): Promise<void> {
    const endMs = this.#random(this.#random(2) === 0 ? 1_000 : maxDisturbedMs)
    while (this.#time.nowMs < endMs) {
      await sleep(this.#random(1_200))
      const victim = this.#processes[this.#random(this.#processes.length)]
      const kind = this.#random(5)
      if (kind === 0 && this.#processes.length < 3) this.#startProcess()
      else if (victim && kind === 1) this.#kill(victim)
      else if (victim && kind === 2) victim.owner.stoppedUntilMs = this.#time.nowMs + this.#random(this.#sessionMs * 3)
      else if (kind === 4) this.#evict()
      else if (victim && kind === 3) {
        this.#processes.splice(this.#processes.indexOf(victim), 1)
        void victim.stop()
      }
    }
  }

  #evict(): void {
    const groups = [...this.#cluster.groups.values()]
    const group = groups[this.#random(groups.length)]
    const member = group?.members[this.#random(group.members.length)]
    if (group && member) this.#cluster.evict(group, member, this.#time.nowMs)
  }

  #startProcess(): void {
    const random = this.#random
    const answer = async (text: string) => (text.startsWith(unanswerable) ? noAnswer : modelReply({ label: text }))
    const process = new SimulatedProcess({
      name: `process ${this.#started}`,
      time: this.#time,
      random,
      cluster: this.#cluster,
      codec: this.#codec,
      model: simulatedModel(random, () => this.#isDisturbed, answer),
      derivations: this.#derivations,
      sessionMs: this.#sessionMs,
      views: this.#views,
      onError: (error) => this.#onError(error),
    })
    this.#started += 1
    this.#processes.push(process)
    process.start()
  }

  #kill(process: SimulatedProcess): void {
    this.#kills += 1
    this.#processes.splice(this.#processes.indexOf(process), 1)
    process.kill()
  }

  #onError(error: unknown): void {
    if (isLoomlogError(error, 'fenced')) this.#fencedReports += 1
    else if (!isLoomlogError(error) || !error.retryable) this.#fatal.push(`a process ends: ${(error as Error).stack}`)
  }

  #writeOutcome(): WriteOutcome {
    if (!this.#isDisturbed) return 'done'
    const kind = this.#random(this.#writeFaultOneIn)
    if (kind === 0) return 'failed'
    return kind === 1 ? 'unknown' : 'done'
  }

  /** @throws if the work is not done in time */
  async #settle(): Promise<void> {
    const deadline = this.#time.nowMs + settleMs
    const behind = async () => this.#stagesBehind() ?? (await this.#views.behind())
    for (let late = await behind(); late !== null; late = await behind()) {
      if (this.#fatal.length > 0) return
      if (this.#time.nowMs > deadline) throw new Error(`standstill: ${late}`)
      await sleep(lookMs)
    }
  }

  #stagesBehind(): string | null {
    const stages = [...this.#cluster.groups].filter(([name]) => !SimulatedViews.isViewGroup(name))
    for (const [name, { topic, partitions }] of stages) {
      for (const [index, { position }] of partitions.entries()) {
        const end = this.#cluster.topic(topic).partitions[index]?.length ?? 0
        if (position < end) return `${name} is at ${position} of ${end} in ${topic}/${index}`
      }
    }
    return stages.length < this.#derivations.length * 2 ? 'not all groups have started' : null
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
