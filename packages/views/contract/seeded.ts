/** Random whole numbers below a limit, from a seed, so that a failure can be repeated. */
export type Random = (below: number) => number

export function seeded(seed: number): Random {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return Math.floor((state / 0x8000_0000) * below)
  }
}
