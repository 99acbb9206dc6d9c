/**
 * Lets at most so many pieces of work run at once; the others wait in the order in which they came. Whoever stops waiting
 * (its signal aborts) leaves the line and never runs.
 */
interface Gate {
  pass<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T>
}

export function gate(maxConcurrent: number): Gate {
  if (!Number.isInteger(maxConcurrent) || maxConcurrent < 1)
    throw new Error('maxConcurrent is a whole number from 1 on')
  const line: (() => void)[] = []
  let running = 0

  function enter(signal: AbortSignal | undefined): Promise<void> {
    if (running < maxConcurrent) {
      running++
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        line.splice(line.indexOf(proceed), 1)
        reject(signal?.reason)
      }
      const proceed = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      signal?.addEventListener('abort', leave, { once: true })
      line.push(proceed)
    })
  }

  /** The place is handed to the next in line, so `running` changes only where nobody waits. */
  function exit(): void {
    const next = line.shift()
    if (next) next()
    else running--
  }

  return {
    async pass(work, signal) {
      signal?.throwIfAborted()
      await enter(signal)
      try {
        return await work()
      } finally {
        exit()
      }
    },
  }
}
