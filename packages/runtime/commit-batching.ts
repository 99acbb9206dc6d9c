/**
 * Commit batching: how long finished records wait so that several share one commit and one fsync.
 *
 * - Fresh input (said within the last minute) waits `lingerMs`, or up to 200 ms while many records are in flight.
 * - Old input is being replayed, so latency doesn't matter: it waits up to 500 ms while steps run in this process. Each commit
 *   rewrites the state that its records share, which costs more than the steps do.
 * - Background work beside live work waits up to 300 ms, so that its commits are few and large.
 */
import { slicesTaken } from './event-loop-slices.ts'
import type { Ledger } from './ledger.ts'

/** The shortest wait of a finished record, and the interval at which a longer wait is reconsidered. */
export const lingerMs = 20
/** A commit of this size waits no longer: the next records are worked on while it is written. */
export const fullCommit = 256
/** With this many records in flight, more finish soon. */
const busyFrom = 32
const busyLingerMs = 200
const busyBatch = 128
const oldMs = 60_000
const oldLingerMs = 500
/** Every stage of the chain adds it, and a generation may be five seconds behind when it is promoted. */
const backgroundLingerMs = 300
/** Steps count as stopped after this many intervals without a new slice: on a busy machine one interval is not enough. */
const quietIntervals = 2

type Progress = Pick<Ledger, 'released' | 'working'>

export interface CommitBatching {
  /** The longest wait, from the first finished record on. The wait is `lingerMs` at least. */
  readonly maxWaitMs: number
  /** True while more finished records are expected. Asked every `lingerMs`. @param room how many more records may be read */
  isWorthWaiting(progress: Progress, room: number): boolean
}

export interface BatchingInput {
  /** Log time of the newest record; null if only the position moves. */
  readonly newest: number | null
  readonly inFlight: number
  /** See throttle.ts. */
  readonly isUrgent: boolean
  readonly now: number
}

export function commitBatching({ newest, inFlight, isUrgent, now }: BatchingInput): CommitBatching {
  if (newest !== null && newest < now - oldMs) return whileStepsRun()
  if (!isUrgent) return { maxWaitMs: backgroundLingerMs, isWorthWaiting: ({ working }, room) => working + room > 0 }
  const maxWaitMs = inFlight < busyFrom ? 0 : busyLingerMs
  return { maxWaitMs, isWorthWaiting: ({ released, working }) => released < busyBatch && working > 0 }
}

function whileStepsRun(): CommitBatching {
  let slices = slicesTaken()
  let quiet = 0
  function doStepsRun(): boolean {
    const now = slicesTaken()
    quiet = now === slices ? quiet + 1 : 0
    slices = now
    return quiet < quietIntervals
  }
  return {
    maxWaitMs: oldLingerMs,
    isWorthWaiting: ({ released, working }, room) => doStepsRun() && released < fullCommit && (working > 0 || room > 0),
  }
}
