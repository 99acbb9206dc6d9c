/**
 * A simulated process: a handle on the log, an index of answers, and the stages of a live and of a background
 * derivation.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Membership } from '@loomlog/log/port'
import { Answers, type Model } from '@loomlog/runtime/answers'
import { BackgroundThrottle } from '@loomlog/runtime/background-throttle'
import { CompletionIndex } from '@loomlog/runtime/completion-index'
import type { Processor } from '@loomlog/runtime/processor'
import { runStage, type Stage } from '@loomlog/runtime/run'
import type { Throttle } from '@loomlog/runtime/throttle'
import type { Codec } from '@loomlog/schemas/codec'
import { physicalTopic } from '@loomlog/topics/catalogue'
import type { Cluster } from './log/cluster.ts'
import { MemoryLog } from './log/memory-log.ts'
import { boxes, facts } from './processors.ts'
import type { Random } from './random.ts'
import type { SimulatedViews } from './views.ts'
import { Owner, type VirtualTime } from './virtual-time.ts'

/** The live derivation, and one beside it. */
export const live = 'live'
export const background = 'background'
/** Longest time of a piece of background work. */
const maxPieceMs = 40

export interface ProcessOptions {
  readonly name: string
  readonly time: VirtualTime
  readonly random: Random
  readonly cluster: Cluster
  readonly codec: Codec
  readonly model: Model
  readonly derivations: readonly string[]
  readonly sessionMs: number
  /** The views of the live derivation. */
  readonly views: SimulatedViews
  onError(error: unknown): void
}

export class SimulatedProcess {
  readonly owner: Owner
  readonly #options: ProcessOptions
  readonly #log: MemoryLog
  readonly #completions: CompletionIndex
  readonly #memberships: Promise<Membership>[] = []
  readonly #stopping = new AbortController()

  constructor(options: ProcessOptions) {
    this.#options = options
    this.owner = new Owner(options.name)
    this.#log = new MemoryLog(options.cluster)
    this.#completions = new CompletionIndex({ log: this.#log, codec: options.codec, dir: null })
  }

  start(): void {
    const { time, derivations } = this.#options
    const throttle = new BackgroundThrottle()
    time.as(this.owner, () => {
      for (const derivation of derivations)
        for (const processor of [boxes, facts]) this.#memberships.push(this.#join(processor, derivation, throttle))
      const { sessionMs, views, onError } = this.#options
      const { signal } = this.#stopping
      this.#memberships.push(...views.join({ log: this.#log, sessionMs, signal, onError }))
    })
  }

  /** Ends the process as SIGTERM does. */
  stop(): Promise<void> {
    return this.#options.time.as(this.owner, async () => {
      this.#stopping.abort()
      await Promise.all(this.#memberships.map(async (membership) => (await membership).close()))
      await this.#completions.close()
    })
  }

  /** Ends the process as SIGKILL does: its pending promises never settle. */
  kill(): void {
    this.owner.isKilled = true
  }

  #join(processor: Processor, derivation: string, throttle: BackgroundThrottle): Promise<Membership> {
    const { random, sessionMs } = this.#options
    const share = 0.1 + random(9) / 10
    const paced = throttle.throttle({ isLive: () => derivation === live, share: () => share })
    // A low in-flight limit, so that records are skipped and read again.
    const small = { maxInFlight: 2 + random(12), roomWaitMs: random(8) }
    const stage = this.#stage(processor, derivation, {
      ...small,
      isLive: derivation === live,
      isBesideLiveWork: derivation !== live,
      run: (work, signal) => paced.run(derivation === live ? work : () => this.#slowed(work, signal), signal),
    })
    const { signal } = this.#stopping
    return runStage({ log: this.#log, stage, sessionMs, signal, onError: this.#options.onError })
  }

  /** A piece takes time, so that its slot rests, and later pieces wait for it. */
  async #slowed<T>(work: () => T | Promise<T>, signal: AbortSignal): Promise<T> {
    await sleep(this.#options.random(maxPieceMs), signal)
    return work()
  }

  #stage(processor: Processor, derivation: string, throttle: Throttle): Stage {
    const { codec, model } = this.#options
    const prompts = new Map(processor.tasks.map(({ name }) => [name, `the prompt of ${name}`]))
    const parameters = processor.parameters
    const answers = new Answers({
      stage: processor.stage,
      model,
      prompts,
      embedder: null,
      parameters,
      completions: this.#completions,
      throttle,
      onBackoff() {},
    })
    const reads = physicalTopic(processor.reads, processor.reads.derivedFrom === null ? null : derivation)
    const writes = physicalTopic(processor.writes, derivation)
    const covers = () => true
    const { time } = this.#options
    const timed: Processor = {
      ...processor,
      *step(...of) {
        time.spend(this.stage === 'topic-loom' ? 1 : 0)
        return yield* processor.step(...of)
      },
    }
    return {
      processor: timed,
      derivation,
      parameters,
      reads,
      writes,
      partitions: this.#options.cluster.topic(reads).partitions.length,
      covers,
      codec,
      answers,
      throttle,
      completions: this.#completions,
      onCommit() {},
    }
  }
}

/** A model that answers late, fails, and loses replies while the history has faults. */
export function simulatedModel(
  random: Random,
  isDisturbed: () => boolean,
  answer: (text: string) => ReturnType<Model['answer']>,
): Model {
  return {
    name: 'simulated',
    parameters: {},
    async answer({ input, signal }) {
      const { text } = input as { readonly text: string }
      const kind = isDisturbed() ? random(16) : 15
      // Mostly close to the latency of the log, so that answers and commits race.
      await sleep(kind === 0 ? 10_000 : random(random(3) === 0 ? 120 : 8), signal)
      if (kind === 1) throw new LoomlogError('model-unavailable', 'simulated: the endpoint answers 503')
      if (kind === 2) await sleep(30_000, signal)
      if (kind === 2) throw new LoomlogError('model-unavailable', 'simulated: the reply was lost')
      return answer(text)
    },
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    setTimeout(resolve, ms)
  })
}
