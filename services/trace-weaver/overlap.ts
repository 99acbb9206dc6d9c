/**
 * The overlap of two weighted lists of stems, 0 to 1: the cosine of their weights, multiplied by rarity. Pure.
 */

export type Rarities = ReadonlyMap<string, number>

/** Virtual boxes, or events, with other words, so that the first words of a space don't all count as common. */
const priorCount = 20

/** 1 for a new word, near 0 for a word of every box. */
export function rarity(withWord: number, counted: number): number {
  const all = counted + priorCount
  return Math.max(0, Math.log(all / (withWord + 1)) / Math.log(all))
}

/** @param a @param b the weight of each stem; stems of unknown rarity count nothing */
export function overlap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>, rarities: Rarities): number {
  let dot = 0
  for (const [stem, count] of a) {
    const other = b.get(stem)
    if (other === undefined) continue
    const weight = rarities.get(stem) ?? 0
    dot += count * weight * (other * weight)
  }
  // No need for the lengths if the dot product is 0.
  return dot === 0 ? 0 : dot / (length(a, rarities) * length(b, rarities))
}

function length(counts: ReadonlyMap<string, number>, rarities: Rarities): number {
  let sum = 0
  for (const [stem, count] of counts) sum += (count * (rarities.get(stem) ?? 0)) ** 2
  return Math.sqrt(sum)
}
