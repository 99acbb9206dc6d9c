/** Waits for what comes about, not for a time: a check is made again until it holds, and what it says is thrown when it never does. */
import { setTimeout as sleep } from 'node:timers/promises'

export async function eventually(check: () => Promise<void> | void, withinMs = 90_000): Promise<void> {
  const deadline = performance.now() + withinMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(100)
    }
  }
}
