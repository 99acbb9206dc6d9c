/**
 * In-flight limiter: at most `maxInFlight` calls to an endpoint run at once; the others wait in a queue per space.
 *
 * 1. A free slot goes to the space with the fewest calls in flight, and among equals to the one that was served longest
 *    ago.
 * 2. A slow space may hold half of the slots, or 7/8 if it is alone. A space is slow unless its last call took 10 s at
 *    most. So slow calls of one space never block another.
 * 3. Calls of one space start in the order in which they came.
 * 4. A call whose signal aborts leaves the queue and never runs.
 * 5. Live calls go before those of background derivations. While there are live calls, and for a minute after,
 *    background calls leave an eighth of the slots free, but one of them may always run.
 */
export interface CallOptions {
  /** The calls without a space share one queue. */
  readonly forSpace?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** True for derivations of generations that are not live. */
  readonly isBackground?: boolean | undefined
}

export interface InFlightLimiter {
  run<T>(call: () => Promise<T>, caller: CallOptions): Promise<T>
}

const fastCallMs = 10_000
/** A space that was idle for this long is forgotten; one that was the only space for this long counts as alone. */
const forgetAfterMs = 60_000
/**
 * The share of all slots that stays free: for newcomers while a slow space is alone, and for live calls beside
 * background ones.
 */
const reservedShare = 1 / 8

interface SpaceQueue {
  inFlight: number
  /** The waiting calls: live ones, and those of background derivations. */
  readonly live: (() => void)[]
  readonly background: (() => void)[]
  readonly since: number
  isFast: boolean
  lastDoneAt: number
}

export function inFlightLimiter(maxInFlight: number): InFlightLimiter {
  if (!Number.isInteger(maxInFlight) || maxInFlight < 1)
    throw new Error(`maxInFlight is ${maxInFlight}; it must be a whole number from 1 on`)
  /** By space; the one that was served longest ago comes first. */
  const queues = new Map<string, SpaceQueue>()
  let inFlight = 0
  let backgroundInFlight = 0
  let lastLiveAt = Number.NEGATIVE_INFINITY

  function queueOf(space: string): SpaceQueue {
    const known = queues.get(space)
    if (known) return known
    const now = performance.now()
    const queue = { inFlight: 0, live: [], background: [], since: now, isFast: false, lastDoneAt: now }
    queues.set(space, queue)
    return queue
  }

  function slot({ forSpace = '', signal, isBackground = false }: CallOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = queueOf(forSpace)
      const waiting = isBackground ? queue.background : queue.live
      if (!isBackground) lastLiveAt = performance.now()
      const leave = () => {
        waiting.splice(waiting.indexOf(start), 1)
        reject(signal?.reason)
      }
      const start = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      signal?.addEventListener('abort', leave, { once: true })
      waiting.push(start)
      fillSlots()
    })
  }

  function fillSlots(): void {
    forgetIdleSpaces()
    for (let next = nextCall(); next !== null; next = nextCall()) {
      const [space, queue, kind] = next
      inFlight += 1
      if (kind === 'background') backgroundInFlight += 1
      queue.inFlight += 1
      queues.delete(space)
      queues.set(space, queue)
      queue[kind].shift()?.()
    }
  }

  function nextCall(): [string, SpaceQueue, 'live' | 'background'] | null {
    const live = nextQueue('live')
    if (live !== null) return [...live, 'live']
    const isLive = performance.now() - lastLiveAt < forgetAfterMs
    const free = maxInFlight - inFlight
    if (isLive && backgroundInFlight > 0 && free <= Math.ceil(maxInFlight * reservedShare)) return null
    const background = nextQueue('background')
    return background && [...background, 'background']
  }

  function nextQueue(kind: 'live' | 'background'): [string, SpaceQueue] | null {
    const free = maxInFlight - inFlight
    let next: [string, SpaceQueue] | null = null
    for (const [space, queue] of queues) {
      const mayStart = free > (queue.isFast ? 0 : Math.min(queue.inFlight, reservedSlots(queue)))
      if (queue[kind].length === 0 || !mayStart) continue
      if (next === null || queue.inFlight < next[1].inFlight) next = [space, queue]
    }
    return next
  }

  /** The most slots that a slow space has to leave free. */
  function reservedSlots({ since }: SpaceQueue): number {
    const isAlone = queues.size === 1 && performance.now() - since > forgetAfterMs
    return isAlone ? Math.ceil(maxInFlight * reservedShare) : maxInFlight
  }

  function forgetIdleSpaces(): void {
    const since = performance.now() - forgetAfterMs
    for (const [space, queue] of queues) {
      const isIdle = queue.inFlight === 0 && queue.live.length === 0 && queue.background.length === 0
      if (isIdle && queue.lastDoneAt < since) queues.delete(space)
    }
  }

  return {
    async run(call, caller) {
      caller.signal?.throwIfAborted()
      await slot(caller)
      const queue = queueOf(caller.forSpace ?? '')
      const startedAt = performance.now()
      try {
        return await call()
      } finally {
        inFlight -= 1
        if (caller.isBackground) backgroundInFlight -= 1
        queue.inFlight -= 1
        queue.lastDoneAt = performance.now()
        queue.isFast = queue.lastDoneAt - startedAt <= fastCallMs
        fillSlots()
      }
    },
  }
}
