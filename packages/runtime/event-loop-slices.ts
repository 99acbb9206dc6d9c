/**
 * Event-loop slices: steps of this process start within slices of a few milliseconds, one slice per turn of the event
 * loop. Steps by rules never wait for I/O: if hundreds of them started at once, timers would not fire for seconds, and
 * leases would be lost. A turn for each step would cost more than most steps do.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

const sliceMs = 4

let last: Promise<void> = Promise.resolve()
let waiting = 0
/** When the current slice began; null: no step has started in this turn. */
let startedAt: number | null = null
let slices = 0

/** Null if the current slice has time left; otherwise resolves in a slice that has, first come, first served. */
export function nextSlice(): Promise<void> | null {
  if (waiting === 0 && isTimeLeft()) return null
  waiting += 1
  last = last.then(untilTimeIsLeft)
  return last
}

/** Counts slices in which a step started: it grows while steps run in this process. */
export function sliceCount(): number {
  return slices
}

async function untilTimeIsLeft(): Promise<void> {
  while (!isTimeLeft()) await nextTurn()
  waiting -= 1
}

function isTimeLeft(): boolean {
  if (startedAt !== null) return performance.now() - startedAt < sliceMs
  startedAt = performance.now()
  slices += 1
  setImmediate(() => {
    startedAt = null
  })
  return true
}
