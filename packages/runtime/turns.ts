/**
 * Steps start a few milliseconds' worth in each turn of the event loop, in this whole process. Steps by rules never wait for
 * anything: started all at once, the hundreds that may be in flight would keep timers from firing for seconds, and leases would be
 * lost meanwhile. A turn for each would cost more than many a step.
 */
import { setImmediate as turn } from 'node:timers/promises'

const sliceMs = 4

let last: Promise<void> = Promise.resolve()
let waiting = 0
/** When the first step of this turn asked; null: none has. */
let startedAt: number | null = null
let turns = 0

/** A turn with time left in it, in the order of asking; null: this one is. */
export function nextTurn(): Promise<void> | null {
  if (waiting === 0 && isTimeLeft()) return null
  waiting += 1
  last = last.then(unlessTimeIsLeft)
  return last
}

/** In how many turns steps were started: it rises for as long as steps run in this process. */
export function turnsTaken(): number {
  return turns
}

async function unlessTimeIsLeft(): Promise<void> {
  while (!isTimeLeft()) await turn()
  waiting -= 1
}

function isTimeLeft(): boolean {
  if (startedAt !== null) return performance.now() - startedAt < sliceMs
  startedAt = performance.now()
  turns += 1
  setImmediate(() => {
    startedAt = null
  })
  return true
}
