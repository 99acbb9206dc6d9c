/** The order of candidates by a value. Of equal values the first candidate comes first. */

/** The candidates with the `n` highest values, best first; none with -Infinity. Only these are sorted by comparison. */
export function highestOf(values: Float64Array, n: number): readonly number[] {
  const least = n < values.length ? (values.toSorted()[values.length - n] as number) : Number.NEGATIVE_INFINITY
  const found: number[] = []
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number
    if (value >= least && value > Number.NEGATIVE_INFINITY) found.push(at)
  }
  return found.sort((x, y) => (values[y] as number) - (values[x] as number) || x - y).slice(0, n)
}

/**
 * 1 for the highest value, and half for the tenth after it. 0 for values of 0. The values are sorted as plain numbers,
 * without a comparison.
 */
export function rankScores(values: Float64Array): Float64Array {
  const ascending = values.filter((value) => value > 0).sort()
  /** Equal values that have their rank already, by the number of values up to them. */
  const ranked = new Int32Array(ascending.length + 1)
  const found = new Float64Array(values.length)
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] as number
    if (!(value > 0)) continue
    const notHigher = countUpTo(ascending, value)
    const equal = ranked[notHigher] as number
    ranked[notHigher] = equal + 1
    found[at] = 10 / (10 + ascending.length - notHigher + equal)
  }
  return found
}

/** The number of values up to `limit`. */
function countUpTo(ascending: Float64Array, limit: number): number {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] as number) <= limit) low = middle + 1
    else high = middle
  }
  return low
}
