/**
 * The setup that the contract's tests share: one environment for the whole suite, any number of handles on it, topics
 * and groups of their own for each test, and child processes that can be killed.
 */
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Log } from '../port.ts'
import { type Child, startChild } from './child.ts'
import type { Role } from './roles.ts'

/** An adapter's part: how a log is opened, here and in a child process, and what the adapter can promise about time. */
export interface Adapter {
  /** The `file:` URL of a module that exports `open(argument: string)`, a Log or a promise of one. */
  readonly opener: string
  /** A log of its own. Every handle on it is opened with its `argument`. */
  fresh(): Promise<Environment>
  readonly features: Features
}

export interface Environment {
  readonly argument: string
  remove(): Promise<void>
}

export interface Features {
  /** The session of the suite's members; as short as the adapter allows. */
  readonly sessionMs: number
  /** Longest wait for a group to settle after members came, left or died: a guard against hanging. */
  readonly settleMs: number
  /** Whether `erase` destroys records. */
  readonly erases: boolean
}

export class Setup {
  readonly features: Features
  readonly #opener: string
  readonly #environment: Environment
  readonly #log: Log
  readonly #run = randomBytes(4).toString('hex')
  #names = 0

  static async start(adapter: Adapter): Promise<Setup> {
    const environment = await adapter.fresh()
    return new Setup(adapter, environment, await openWith(adapter.opener, environment.argument))
  }

  private constructor(adapter: Adapter, environment: Environment, log: Log) {
    this.features = adapter.features
    this.#opener = adapter.opener
    this.#environment = environment
    this.#log = log
  }

  get log(): Log {
    return this.#log
  }

  async stop(): Promise<void> {
    await this.#log.close()
    await this.#environment.remove()
  }

  /** Another handle, as another process would have it; closed with the test. */
  async handle(t: TestContext): Promise<Log> {
    const log = await openWith(this.#opener, this.#environment.argument)
    t.after(() => log.close())
    return log
  }

  /** A name that no other run uses, since a broker may outlive the run. */
  name(kind: string): string {
    this.#names += 1
    return `${kind}-${this.#run}-${this.#names}`
  }

  async topic(partitions: number): Promise<string> {
    const name = this.name('topic')
    await this.#log.createTopic({ name, partitions, retentionMs: null })
    return name
  }

  /** A process that plays the roles one after another; killed with the test. */
  child(t: TestContext, roles: readonly Role[], env: NodeJS.ProcessEnv = {}): Child {
    const child = startChild(this.#opener, this.#environment.argument, roles, env)
    t.after(() => child.kill())
    return child
  }
}

async function openWith(opener: string, argument: string): Promise<Log> {
  const module: { open(argument: string): Log | Promise<Log> } = await import(opener)
  return module.open(argument)
}
