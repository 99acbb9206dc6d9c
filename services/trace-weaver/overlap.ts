/**
 * How much two things share of their telling words, 0 to 1: the cosine of their word counts, where a word weighs the less the
 * more boxes have told of it. Pure.
 */

export type Rarities = ReadonlyMap<string, number>

/** As if the space had begun with this many boxes of other words; keeps its first words from all being common. */
const priorBoxes = 20

/** 1 for a word never told before, towards 0 for one that every box tells. */
export function rarity(boxesWithWord: number, boxesTold: number): number {
  const all = boxesTold + priorBoxes
  return Math.max(0, Math.log(all / (boxesWithWord + 1)) / Math.log(all))
}

/** Each side says how much a stem counts in it; stems of unknown rarity count nothing. */
export function overlap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>, rarities: Rarities): number {
  let dot = 0
  for (const [stem, count] of a) {
    const other = b.get(stem)
    if (other === undefined) continue
    const weight = rarities.get(stem) ?? 0
    dot += count * weight * (other * weight)
  }
  // What shares nothing needs no lengths.
  return dot === 0 ? 0 : dot / (length(a, rarities) * length(b, rarities))
}

function length(counts: ReadonlyMap<string, number>, rarities: Rarities): number {
  let sum = 0
  for (const [stem, count] of counts) sum += (count * (rarities.get(stem) ?? 0)) ** 2
  return Math.sqrt(sum)
}
