/**
 * How long what is finished waits for others to share its commit, and with it one sync of the disk: a moment, or a little longer
 * where more is at work. What was said long ago is derived again, and in no hurry: it waits while steps run in this process, because
 * each commit writes anew whatever its records share, and costs more than they do.
 */
import type { ReleaseQueue } from './release.ts'
import { areStepsRunning } from './turns.ts'

/** How long a finished record waits for others in any case. */
export const lingerMs = 20
/** So many wait for no others: the next ones are worked on while they are committed. */
export const fullCommit = 256
/** With this many in flight there is more to come at once. */
const busyFrom = 32
const busyLingerMs = 200
const busyBatch = 128
/** What was said longer ago is in no hurry. */
const oldMs = 60_000
const oldLingerMs = 500

export interface Patience {
  /** From the first finished record on; `lingerMs` at least. */
  readonly mostMs: number
  /** Are more of them to come? @param room how many more records may be read */
  isWorthIt(queue: Pick<ReleaseQueue, 'waiting' | 'working'>, room: number): boolean
}

/** @param newest log time of what was said last; null: nothing was */
export function patienceWith(of: {
  readonly newest: number | null
  readonly inFlight: number
  readonly now: number
}): Patience {
  if (of.newest !== null && of.newest < of.now - oldMs) {
    const canGrow = ({ waiting, working }: { readonly waiting: number; readonly working: number }, room: number) =>
      waiting < fullCommit && (working > 0 || room > 0)
    return { mostMs: oldLingerMs, isWorthIt: (queue, room) => canGrow(queue, room) && areStepsRunning() }
  }
  const mostMs = of.inFlight < busyFrom ? 0 : busyLingerMs
  return { mostMs, isWorthIt: ({ waiting, working }) => waiting < busyBatch && working > 0 }
}
