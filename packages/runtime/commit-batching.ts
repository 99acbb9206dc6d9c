/**
 * Commit batching: how long finished records wait so that several share one commit and one fsync.
 *
 * - New input (at most a minute old, by log time) waits `lingerMs`, or up to 200 ms while many records are uncommitted.
 * - Old input is being replayed, so latency doesn't matter: it waits up to 500 ms while steps run in this process. Each
 *   commit rewrites the state that its records share, which costs more than the steps do.
 * - Background work beside live work waits up to 300 ms, so that its commits are few and large.
 *
 * A full commit never waits: the commit loop sleeps only until the commit is full, so a longer wait would spin.
 */
import { sliceCount } from './event-loop-slices.ts'
import type { Ledger } from './ledger.ts'

/** The shortest wait of a finished record, and the interval at which a longer wait is reconsidered. */
export const lingerMs = 20
/** A commit of this size waits no longer: the next records are worked on while it is written. */
export const fullCommitRecords = 256
/** With this many uncommitted records, more finish soon. */
const busyFrom = 32
const busyLingerMs = 200
const busyCommitRecords = 128
const oldMs = 60_000
const oldLingerMs = 500
/** Every stage of the chain adds this wait, and a generation may be five seconds behind when it is promoted. */
const backgroundLingerMs = 300
/**
 * Steps count as stopped after this many intervals without a new slice: on a busy machine one interval is not enough.
 */
const quietIntervals = 2

type Progress = Pick<Ledger, 'released' | 'working'>

export interface CommitBatching {
  /** The longest wait from the first finished record, or from the end of the previous commit if that is later. */
  readonly maxWaitMs: number
  /**
   * True while more finished records are expected. Called every `lingerMs`.
   * @param room how many more records may be read
   */
  isWorthWaiting(progress: Progress, room: number): boolean
}

export interface BatchingInput {
  /** Log time of the newest record that this lease accepted; null if only the position moves. */
  readonly newest: number | null
  /** Records that are accepted and not committed: those being worked on, and the finished ones. */
  readonly uncommitted: number
  readonly isBesideLiveWork: boolean
  readonly now: number
}

export function commitBatching({ newest, uncommitted, isBesideLiveWork, now }: BatchingInput): CommitBatching {
  if (newest !== null && newest < now - oldMs) return whileStepsRun()
  if (isBesideLiveWork) return { maxWaitMs: backgroundLingerMs, isWorthWaiting: mayGrow }
  const maxWaitMs = uncommitted < busyFrom ? 0 : busyLingerMs
  return { maxWaitMs, isWorthWaiting: ({ released, working }) => released < busyCommitRecords && working > 0 }
}

function mayGrow({ released, working }: Progress, room: number): boolean {
  return released < fullCommitRecords && (working > 0 || room > 0)
}

function whileStepsRun(): CommitBatching {
  let slices = sliceCount()
  let quiet = 0
  function doStepsRun(): boolean {
    const now = sliceCount()
    quiet = now === slices ? quiet + 1 : 0
    slices = now
    return quiet < quietIntervals
  }
  return { maxWaitMs: oldLingerMs, isWorthWaiting: (progress, room) => doStepsRun() && mayGrow(progress, room) }
}
