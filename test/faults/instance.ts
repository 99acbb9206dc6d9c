/**
 * One instance of loomlog: one process at a time with the whole pipeline (`loomlog up`). If the process ends by itself,
 * the instance records that and starts another one, as a supervisor would.
 */
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Environment, type RunningProgram, startProgram } from '../pipeline/loomlog.ts'

interface StartedProcess {
  readonly running: RunningProgram
  readonly url: Promise<string>
  /** The test ends the process. */
  isEnding: boolean
}

/** The process promises ten seconds; a busy machine needs more. */
const stopWithinMs = 60_000

export class Instance {
  /** The reasons of ends that the test did not request. */
  readonly ended: string[] = []
  /** All log lines of its processes, for a report of the failures that they survived. */
  readonly warnings: string[] = []
  readonly #dir: string
  readonly #environment: Environment
  #started: StartedProcess | null = null

  constructor(dir: string, environment: Environment) {
    this.#dir = dir
    this.#environment = environment
  }

  get isUp(): boolean {
    return this.#started !== null
  }

  /** Whether its process runs, and is not stopped. */
  get isAwake(): boolean {
    const pid = this.#started?.running.process.pid
    return pid !== undefined && !stateOf(pid).startsWith('T')
  }

  /** The pid of the running process. */
  get pid(): number {
    const pid = this.#started?.running.process.pid
    if (pid === undefined) throw new Error('this instance is not started')
    return pid
  }

  start(extra: Environment = {}): void {
    if (this.#started) return
    const running = startProgram(['up', '--json', '--port', '0', '--dir', this.#dir], {
      ...this.#environment,
      ...extra,
    })
    const url = new Promise<string>((resolve) => {
      let said = ''
      running.process.stdout?.on('data', (data) => {
        said += data
        if (said.includes('\n')) resolve((JSON.parse(said) as { url: string }).url)
      })
    })
    running.process.stderr?.on('data', (data: Buffer) => this.warnings.push(...data.toString().split('\n')))
    const started: StartedProcess = { running, url, isEnding: false }
    this.#started = started
    running.finished.then(({ code, signal, stderr }) => {
      if (this.#started === started) this.#started = null
      if (started.isEnding) return
      this.ended.push(`${signal ?? code}: ${stderr.slice(-2_000)}`)
      if (signal === null) this.start()
    })
  }

  /** The address of its gateway, once it is up. */
  async url(): Promise<string> {
    const started = this.#started
    if (!started) throw new Error('this instance is not started')
    const early = started.running.finished.then(({ stderr }) => Promise.reject(new Error(`it ended: ${stderr}`)))
    return await Promise.race([started.url, early])
  }

  /** The number of its fenced writes. */
  get timesFenced(): number {
    return this.warnings.filter((line) => line.includes('"code":"fenced"')).length
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const started = this.#started
    if (!started) return
    started.isEnding = true
    const { process, finished } = started.running
    process.kill(signal)
    const late = setTimeout(() => {
      this.ended.push(`it did not stop within ${stopWithinMs} ms`)
      process.kill('SIGKILL')
    }, stopWithinMs)
    const { code, stderr } = await finished
    clearTimeout(late)
    if (signal === 'SIGTERM' && code !== null && code !== 0)
      this.ended.push(`on SIGTERM it ended with ${code}: ${stderr.slice(-2_000)}`)
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#started?.running.process.kill(signal)
  }

  /** Waits until the process is stopped: by itself at a point, or by another process. */
  async untilStopped(withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs
    while (!stateOf(this.#started?.running.process.pid ?? 0).startsWith('T')) {
      if (!this.#started) throw new Error(`it ended before it was stopped: ${this.ended.at(-1)}`)
      if (performance.now() > deadline) throw new Error(`it was not stopped within ${withinMs} ms`)
      await sleep(100)
    }
  }
}

function stateOf(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  } catch {
    return ''
  }
}
