/** Progress of long work on stderr: how far, how fast, and the time left. One line that moves on a terminal, a line now and then elsewhere. */

import { deriveAll } from '@loomlog/app/derive-all'
import type { Progress } from '@loomlog/app/progress'
import type { Serving } from '@loomlog/generations/serving'
import type { Host } from '@loomlog/host/open'
import { count, say } from './print.ts'
import { Trouble } from './trouble.ts'

const quietMs = 5_000

/**
 * Derives everything, or one generation, with its progress on stderr. Null: stopped by the signal.
 *
 * @throws LoomlogError where waiting would not help, such as `log-full`
 */
export async function deriveWithProgress(
  host: Host,
  { signal, ...which }: { readonly signal: AbortSignal; readonly generation?: string },
): Promise<Serving | null> {
  const line = new ProgressLine()
  const trouble = new Trouble()
  try {
    const serving = await deriveAll(host, {
      ...which,
      signal: AbortSignal.any([signal, trouble.end]),
      onProgress: (progress) => line.show(progress),
      onTrouble: (error) => trouble.add(error),
      onNews: say,
    })
    trouble.end.throwIfAborted()
    return serving
  } finally {
    line.end()
  }
}

class ProgressLine {
  readonly #startedAt = performance.now()
  #startedDone: number | null = null
  #lastPrintedAt = 0

  show(progress: readonly Progress[]): void {
    const done = progress.reduce((total, part) => total + part.position, 0)
    const end = progress.reduce((total, part) => total + part.end, 0)
    this.#startedDone ??= done
    const now = performance.now()
    const rate = ((done - this.#startedDone) / Math.max(1, now - this.#startedAt)) * 1_000
    const behind = progress.filter((part) => part.lag > 0).map((part) => part.name)
    const left = rate > 0 ? `, about ${Math.ceil((end - done) / rate)} s left` : ''
    const rest =
      behind.length === 0 ? 'caught up' : `behind: ${behind.slice(0, 3).join(', ')}${behind.length > 3 ? '…' : ''}`
    this.#write(`${count(done)} of ${count(end)} records, ${count(Math.round(rate))}/s${left} (${rest})`, now)
  }

  end(): void {
    if (process.stderr.isTTY && this.#lastPrintedAt > 0) process.stderr.write('\n')
  }

  #write(line: string, now: number): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`)
    else if (now - this.#lastPrintedAt < quietMs) return
    else process.stderr.write(`${line}\n`)
    this.#lastPrintedAt = now
  }
}
