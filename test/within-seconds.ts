/**
 * Waits for an effect that working code has at once. Where the effect never comes, the test fails within seconds, with
 * the expectation, instead of at the time limit of the run.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** Long enough for a busy machine. */
const patienceMs = 20_000

/** The result of the work. @param expectation completes "expected within 20 s: …" */
export async function withinSeconds<T>(work: Promise<T>, expectation: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const overdue = new Error(`expected within ${patienceMs / 1_000} s: ${expectation}`)
  const timer = setTimeout(() => reject(overdue), patienceMs)
  return await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Repeats a check until it holds. */
export async function until(check: () => boolean | Promise<boolean>, expectation: string): Promise<void> {
  let isOver = false
  const repeated = async () => {
    while (!isOver && !(await check())) await sleep(5)
  }
  await withinSeconds(repeated(), expectation).finally(() => {
    isOver = true
  })
}
