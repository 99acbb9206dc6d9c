/** The writers of a flow: each is a process that is started again after each kill, until `stop`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../pipeline/loomlog.ts'
import type { Attempt } from './checker.ts'
import { attemptsOf, History } from './history.ts'
import type { WriterPlan } from './writer.ts'

export interface WritersOptions {
  readonly count: number
  readonly everyMs: number
  /** The folder of their histories. */
  readonly folder: string
  readonly environment: Environment
}

/** Every writer appends to each of these spaces. */
const spaces = ['home', 'work']
const main = fileURLToPath(new URL('writer.ts', import.meta.url))

export class Writers {
  readonly #options: WritersOptions
  readonly #running: (ChildProcess | null)[] = []
  #done: Promise<unknown> = Promise.resolve()

  constructor(options: WritersOptions) {
    this.#options = options
  }

  /** Resolves when all have stopped after `stop`; fails if one ends by itself. */
  start(): Promise<unknown> {
    this.#done = Promise.all(Array.from({ length: this.#options.count }, (_, at) => this.#write(at)))
    return this.#done
  }

  kill(at: number): void {
    this.#running[at]?.kill('SIGKILL')
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    for (const writer of this.#running) writer?.kill(signal)
  }

  async stop(): Promise<void> {
    await writeFile(this.#stopFile, '')
    await this.#done
  }

  attempts(): readonly Attempt[] {
    return Array.from({ length: this.#options.count }, (_, at) =>
      attemptsOf(name(at), new History(this.#file(at)).read()),
    ).flat()
  }

  async #write(at: number): Promise<void> {
    const { everyMs, environment } = this.#options
    const plan: WriterPlan = {
      writer: name(at),
      spaces,
      everyMs,
      historyFile: this.#file(at),
      stopFile: this.#stopFile,
    }
    for (;;) {
      const writer = spawn(process.execPath, [main, JSON.stringify(plan)], {
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      this.#running[at] = writer
      let complaint = ''
      writer.stderr.on('data', (data) => (complaint += data))
      const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
        writer.on('close', (...ended) => resolve(ended)),
      )
      this.#running[at] = null
      if (code === 0) return
      if (signal === null) throw new Error(`a writer ended with ${code}: ${complaint}`)
    }
  }

  get #stopFile(): string {
    return join(this.#options.folder, 'writers-stop')
  }

  #file(at: number): string {
    return join(this.#options.folder, `${name(at)}.jsonl`)
  }
}

function name(at: number): string {
  return `writer-${at}`
}
