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
  const weighed = (counts: ReadonlyMap<string, number>, stem: string) =>
    (counts.get(stem) ?? 0) * (rarities.get(stem) ?? 0)
  let dot = 0
  for (const stem of a.keys()) dot += weighed(a, stem) * weighed(b, stem)
  const length = (counts: ReadonlyMap<string, number>) =>
    Math.sqrt([...counts.keys()].reduce((sum, stem) => sum + weighed(counts, stem) ** 2, 0))
  const lengths = length(a) * length(b)
  return lengths === 0 ? 0 : dot / lengths
}
