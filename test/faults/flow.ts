/**
 * A flow: writers append, instances of loomlog derive, and a disturbance acts on both. When the disturbance is over and
 * everything is derived, the writers' histories are compared with the log and the derived events. The derived events
 * are compared with those of an undisturbed run on the embedded log, on a copy of the same log.
 */
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../pipeline/loomlog.ts'
import { Instance } from './instance.ts'
import { type FlowResult, flowResultOf } from './verdict.ts'
import type { Status } from './views.ts'
import { Writers } from './writers.ts'

export interface FlowOptions {
  /** The environment that names the log: `sqlite`, or Kafka with its brokers. */
  readonly log: Environment
  /** Models and embedder. */
  readonly environment: Environment
  /** The number of instances. */
  readonly instances: number
  /** Further environment of each instance that runs from the start. Default: all run, without further settings. */
  readonly atStart?: readonly Environment[]
  readonly writers: number
  /** Pause of a writer after each utterance. It appends until the disturbance is over. */
  readonly everyMs: number
  say(text: string): void
}

/** The controls of a disturbance, which restores everything before it returns; then the writers stop. */
export interface FlowControl {
  readonly instances: readonly Instance[]
  readonly writers: number
  /** Kills the writer's process; another process continues its work. */
  killWriter(at: number): void
  /**
   * Waits until everything appended so far is derived, by the status of a running instance. Writers pause meanwhile.
   */
  caughtUp(): Promise<void>
  say(text: string): void
}

/** Longest time from the end of the disturbance until everything is derived; a busy machine is slow. */
const settleMs = 300_000

export async function runDisturbedFlow(
  options: FlowOptions,
  disturb: (flow: FlowControl) => Promise<void>,
): Promise<FlowResult> {
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-flow-'))
  const flow = new Flow(options, folder)
  try {
    await flow.begin()
    await flow.run(disturb)
    return await flow.judge()
  } finally {
    await flow.end()
    await rm(folder, { recursive: true, force: true })
  }
}

class Flow {
  readonly #options: FlowOptions
  readonly #folder: string
  readonly #environment: Environment
  readonly #instances: Instance[] = []
  readonly #writers: Writers
  #status: Status | null = null

  constructor(options: FlowOptions, folder: string) {
    this.#options = options
    this.#folder = folder
    this.#environment = { ...options.environment, ...options.log }
    const { writers: count, everyMs } = options
    const environment = { ...this.#environment, LOOMLOG_DIR: this.#dir(0) }
    this.#writers = new Writers({ count, everyMs, folder, environment })
  }

  /** The first instance makes the generation; then the others join it. */
  async begin(): Promise<void> {
    const { instances, atStart = Array.from({ length: instances }, () => ({})) } = this.#options
    for (let at = 0; at < instances; at += 1)
      this.#instances.push(new Instance(await this.#slot(at), this.#environment))
    for (const [at, extra] of atStart.entries()) {
      this.#instances[at]?.start(extra)
      if (at === 0) await this.#instances[0]?.url()
    }
    await Promise.all(atStart.map((_, at) => this.#instances[at]?.url()))
  }

  async run(disturb: (flow: FlowControl) => Promise<void>): Promise<void> {
    const { writers, say } = this.#options
    const writing = this.#writers.start()
    const disturbing = disturb({
      instances: this.#instances,
      writers,
      killWriter: (at) => this.#writers.kill(at),
      caughtUp: async () => {
        this.#writers.signal('SIGSTOP')
        await this.#caughtUp()
        this.#writers.signal('SIGCONT')
      },
      say,
    })
    // If a writer fails, the flow fails at once.
    await Promise.race([disturbing, writing.then(() => disturbing)])
    await this.#writers.stop()
    say('the writers are done')
    for (const instance of this.#instances) instance.start()
    await this.#caughtUp()
    await Promise.all(this.#instances.map((instance) => instance.end('SIGTERM')))
    say('everything is derived')
  }

  async judge(): Promise<FlowResult> {
    const { environment, log } = this.#options
    if (this.#status === null) throw new Error('judged before everything was derived')
    return flowResultOf(
      {
        folder: this.#folder,
        dir: this.#dir(0),
        environment: this.#environment,
        undisturbed: environment,
        status: this.#status,
        log: log.LOOMLOG_LOG === 'kafka' ? 'kafka' : 'sqlite',
      },
      this.#writers.attempts(),
      this.#instances,
    )
  }

  async end(): Promise<void> {
    this.#writers.signal('SIGKILL')
    for (const instance of this.#instances) await instance.end('SIGKILL')
  }

  #dir(at: number): string {
    return join(this.#folder, this.#environment.LOOMLOG_LOG === 'kafka' ? `instance-${at}` : 'shared')
  }

  /** On Kafka each instance has a folder of its own, as on another machine, and shares only the views. */
  async #slot(at: number): Promise<string> {
    const dir = this.#dir(at)
    const { LOOMLOG_LOG, LOOMLOG_KAFKA_ENVIRONMENT } = this.#environment
    if (LOOMLOG_LOG !== 'kafka') return dir
    const own = join(dir, `kafka-${LOOMLOG_KAFKA_ENVIRONMENT}`)
    const views = join(this.#folder, 'views')
    await mkdir(own, { recursive: true })
    await mkdir(views, { recursive: true })
    await symlink(views, join(own, 'views'))
    return dir
  }

  async #caughtUp(): Promise<void> {
    const deadline = performance.now() + settleMs
    let last: unknown = 'no instance answers'
    for (let calm = 0; calm < 2; ) {
      if (performance.now() > deadline)
        throw new Error(`not everything is derived after ${settleMs} ms: ${JSON.stringify(last)}`)
      await sleep(500)
      try {
        const status = await this.#askStatus()
        last = [...status.stages, ...status.views].map(({ name, lag }) => `${name}: ${lag}`)
        calm = [...status.stages, ...status.views].every(({ lag }) => lag <= 0) ? calm + 1 : 0
        this.#status = status
      } catch (error) {
        last = String(error)
        calm = 0
      }
    }
  }

  async #askStatus(): Promise<Status> {
    const up = this.#instances.find((instance) => instance.isAwake)
    if (!up) throw new Error('no instance is up')
    const response = await fetch(`${await up.url()}/v1/status`, { signal: AbortSignal.timeout(30_000) })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as Status
  }
}
