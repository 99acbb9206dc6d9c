/**
 * One step starts in each turn of the event loop, in this whole process. Steps by rules never wait for anything: started all at
 * once, the hundreds that may be in flight would keep timers from firing for seconds, and leases would be lost meanwhile.
 */
import { setImmediate as turn } from 'node:timers/promises'

let last: Promise<void> = Promise.resolve()

/** Waits for a turn of one's own, in the order of asking. */
export function nextTurn(): Promise<void> {
  last = last.then(() => turn())
  return last
}
