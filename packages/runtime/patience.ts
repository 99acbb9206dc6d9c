/**
 * How long what is finished waits for others to share its commit, and with it one sync of the disk: a moment, or a little longer
 * where more is at work. What was said long ago is derived again, and in no hurry: it waits while steps run in this process, because
 * each commit writes anew whatever its records share, and costs more than they do. So does, beside live work, what nobody reads yet.
 */
import type { ReleaseQueue } from './release.ts'
import { turnsTaken } from './turns.ts'

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
/** Of each stage, one after the other: a generation is promoted when it is five seconds behind at most. */
const unreadLingerMs = 300
/** No steps run where none has started between so many looks, one after the other; a busy machine makes each of them late. */
const quietLooks = 2

export interface Patience {
  /** From the first finished record on; `lingerMs` at least. */
  readonly mostMs: number
  /** Are more of them to come? Asked again every `lingerMs`. @param room how many more records may come */
  isWorthIt(queue: Pick<ReleaseQueue, 'waiting' | 'working'>, room: number): boolean
}

/** @param newest log time of what was said last; null: nothing was */
export function patienceWith(of: {
  readonly newest: number | null
  readonly inFlight: number
  /** Does somebody wait for it (traffic.ts)? */
  readonly isAwaited: boolean
  readonly now: number
}): Patience {
  if (of.newest !== null && of.newest < of.now - oldMs) {
    const canGrow = ({ waiting, working }: { readonly waiting: number; readonly working: number }, room: number) =>
      waiting < fullCommit && (working > 0 || room > 0)
    const doStepsRun = stepsSeen()
    return { mostMs: oldLingerMs, isWorthIt: (queue, room) => doStepsRun() && canGrow(queue, room) }
  }
  if (!of.isAwaited) return { mostMs: unreadLingerMs, isWorthIt: ({ working }, room) => working + room > 0 }
  const mostMs = of.inFlight < busyFrom ? 0 : busyLingerMs
  return { mostMs, isWorthIt: ({ waiting, working }) => waiting < busyBatch && working > 0 }
}

function stepsSeen(): () => boolean {
  let seen = turnsTaken()
  let quiet = 0
  return () => {
    const now = turnsTaken()
    quiet = now === seen ? quiet + 1 : 0
    seen = now
    return quiet < quietLooks
  }
}
