/**
 * Progress on stderr: records done, rate, and the time left or the reason of a wait. One moving line on a terminal, a
 * line every 5 s elsewhere.
 */

import { deriveAll } from '@loomlog/app/derive-all'
import type { Progress } from '@loomlog/app/progress'
import type { ServingGeneration } from '@loomlog/generations/serving-generation'
import { otherConditions, type PublishedCondition } from '@loomlog/host/condition-board'
import { Conditions } from '@loomlog/host/conditions'
import type { Host } from '@loomlog/host/open'
import { count, printNotice } from './print.ts'

/** Interval at which the conditions of other processes are read. */
const pollMs = 1_000
/** Interval of lines where stderr is no terminal. */
const printMs = 5_000

/** Prints conditions as plain lines on stderr. */
export function stderrConditions(): Conditions {
  return new Conditions({ warn: (line) => printNotice(`waiting: ${line}`), info: printNotice, debug: () => {} })
}

/**
 * Derives everything, or one generation, with its progress on stderr. Null: stopped by the signal.
 *
 * @throws LoomlogError where waiting would not help, such as `log-full`
 */
export async function deriveWithProgress(
  host: Host,
  which: { readonly signal: AbortSignal; readonly generation?: string },
): Promise<ServingGeneration | null> {
  const conditions = stderrConditions()
  const conditionsOfOthers = stderrConditions()
  const line = new ProgressLine([conditions, conditionsOfOthers])
  const polling = setInterval(() => void noteOthers(host.config.dir, conditionsOfOthers), pollMs).unref()
  try {
    return await deriveAll(host, {
      ...which,
      conditions,
      onProgress: (progress) => line.show(progress),
      onNews: printNotice,
    })
  } finally {
    clearInterval(polling)
    line.end()
  }
}

/**
 * Another process may hold the work that this command waits for. Its conditions are kept apart from those that this
 * process publishes: two commands would publish each other's conditions for ever.
 */
async function noteOthers(dir: string, conditionsOfOthers: Conditions): Promise<void> {
  const others = await otherConditions(dir)
  const nameOf = ({ process, text }: PublishedCondition) => `${process} ${subjectOf(text)}`
  for (const other of others) conditionsOfOthers.begin(nameOf(other), `process ${other.process}: ${other.text}`)
  const present = new Set(others.map(nameOf))
  for (const name of conditionsOfOthers.current.keys())
    if (!present.has(name)) conditionsOfOthers.end(name, `process ${name} no more`)
}

/** The part before the first colon: `topic-loom waits`. The rest changes with every failure. */
function subjectOf(text: string): string {
  return text.split(':')[0] ?? text
}

class ProgressLine {
  readonly #conditions: readonly Conditions[]
  readonly #startedAt = performance.now()
  #startedDone: number | null = null
  #lastPrintedAt = 0

  constructor(conditions: readonly Conditions[]) {
    this.#conditions = conditions
  }

  show(progress: readonly Progress[]): void {
    const done = progress.reduce((total, part) => total + part.position, 0)
    const end = progress.reduce((total, part) => total + part.end, 0)
    this.#startedDone ??= done
    const now = performance.now()
    const rate = ((done - this.#startedDone) / Math.max(1, now - this.#startedAt)) * 1_000
    const behind = progress.filter((part) => part.lag > 0).map((part) => part.name)
    const rest =
      behind.length === 0 ? 'caught up' : `behind: ${behind.slice(0, 3).join(', ')}${behind.length > 3 ? '…' : ''}`
    const [waiting] = this.#conditions.flatMap(({ current }) => [...current.values()])
    const left = rate > 0 ? `, about ${Math.ceil((end - done) / rate)} s left` : ''
    const forecast = waiting === undefined ? `${count(Math.round(rate))}/s${left}` : `waiting: ${waiting.text}`
    this.#write(`${count(done)} of ${count(end)} records, ${forecast} (${rest})`, now)
  }

  end(): void {
    if (process.stderr.isTTY && this.#lastPrintedAt > 0) process.stderr.write('\n')
  }

  #write(line: string, now: number): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`)
    else if (now - this.#lastPrintedAt < printMs) return
    else process.stderr.write(`${line}\n`)
    this.#lastPrintedAt = now
  }
}
