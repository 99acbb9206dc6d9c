/** Repeatable randomness for tests. */

/**
 * The seed that `LOOMLOG_SEED` gives, or another one every time. A random test prints it, so that a failing run can be
 * repeated.
 */
export function testSeed(): number {
  return Number(process.env.LOOMLOG_SEED ?? Date.now() % 1_000_000)
}

/** mulberry32, a small generator. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
