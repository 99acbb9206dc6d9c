/** Repeats a check until it holds, instead of waiting for a fixed time; its last error is thrown if it never does. */
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
