/**
 * The growth of the JavaScript heap of a server. By default V8 lets the heap of a busy process grow to several times
 * its live objects. Collections are more frequent with this limit, and cost some percent of the processor time.
 * Commands end sooner, and keep V8's default.
 */
import { setFlagsFromString } from 'node:v8'

/** A collection begins when the heap is this much larger than after the last one, in percent. */
const growthPercent = 20

/** Before the work of the process begins. V8 reads the limit after each collection. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`)
}
