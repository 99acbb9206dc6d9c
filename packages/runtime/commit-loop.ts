/**
 * Commits a lease's released records: their outputs, state and position in one commit. commit-batching.ts decides how
 * long a commit waits for more records. Reading and steps continue meanwhile.
 */
import { crashPoint } from '@loomlog/log/crash-points'
import type { Output } from '@loomlog/log/port'
import type { LoomEvent } from '@loomlog/schemas/events'
import { commitBatching, fullCommitRecords, lingerMs } from './commit-batching.ts'
import type { Entry } from './ledger.ts'
import { type Overlay, stateChanges } from './overlay.ts'
import type { LeaseParts, ReadLoop } from './read-loop.ts'

export class CommitLoop {
  readonly #parts: LeaseParts
  readonly #overlay: Overlay
  readonly #reading: Pick<ReadLoop, 'newest' | 'expected'>
  #position: number

  constructor(parts: LeaseParts, overlay: Overlay, reading: Pick<ReadLoop, 'newest' | 'expected'>) {
    this.#parts = parts
    this.#overlay = overlay
    this.#reading = reading
    this.#position = parts.lease.position
  }

  async run(): Promise<void> {
    const { ledger, changes, end } = this.#parts
    while (!end.signal.aborted) {
      const { entries, position } = ledger.nextCommit()
      if (entries.length === 0 && position === this.#position) {
        await changes.next()
        continue
      }
      await this.#linger()
      if (end.signal.aborted) return
      await this.#commit()
      changes.notify()
    }
  }

  async #linger(): Promise<void> {
    const { ledger, stage, changes, end } = this.#parts
    const newest = ledger.released === 0 ? null : this.#reading.newest
    const { isBesideLiveWork } = stage.throttle
    const batching = commitBatching({ newest, uncommitted: ledger.size, isBesideLiveWork, now: Date.now() })
    const deadline = performance.now() + batching.maxWaitMs
    const isFull = () => end.signal.aborted || ledger.released >= fullCommitRecords
    do await changes.until(isFull, lingerMs)
    while (
      !end.signal.aborted &&
      performance.now() < deadline &&
      batching.isWorthWaiting(ledger, this.#reading.expected)
    )
  }

  async #commit(): Promise<void> {
    const { lease, stage, ledger, watermarks } = this.#parts
    const { entries, position } = ledger.nextCommit()
    const watermark = watermarks.at(position)
    const outputs = entries.flatMap(outputsOf)
    if (watermark !== null) outputs.push(this.#watermarkOutput(watermark))
    crashPoint('run.before-commit')
    await lease.commit({ outputs, state: stateChanges(entries.map(({ writes }) => writes)), position })
    crashPoint('run.after-commit')
    this.#position = position
    for (const { writes, span } of entries) {
      this.#overlay.markCommitted(writes)
      span?.end()
    }
    ledger.markCommitted(entries)
    stage.onCommit({ partition: lease.partition, records: entries.length, position, watermark })
  }

  #watermarkOutput(offset: number): Output {
    const { lease, stage } = this.#parts
    const event: LoomEvent = { type: 'WatermarkAdvanced', derivation: stage.derivation, offset }
    const value = stage.codec.encode(event)
    return { topic: stage.writes, record: { key: null, partition: lease.partition, value, timestamp: Date.now() } }
  }
}

/** Each output carries the trace of its own cause; a commit holds outputs of several records. */
function outputsOf({ outputs, span }: Entry): readonly Output[] {
  if (span === null) return outputs
  const { traceparent } = span
  return outputs.map(({ topic, record }) => ({ topic, record: { ...record, traceparent } }))
}
