/**
 * Deals items into sheets at random, with a fixed seed. A sheet has no two items of one group: a reader of a question
 * with a long context would know the answer for a short one.
 */
import { seededRandom } from '../../seeded-random.ts'

interface GroupMember {
  readonly group: string
}

/** @param size items of a sheet, about */
export function deal<T extends GroupMember>(
  items: readonly T[],
  { size, seed }: { readonly size: number; readonly seed: number },
): readonly (readonly T[])[] {
  const random = seededRandom(seed)
  const groups = [...Map.groupBy(shuffled(items, random), ({ group }) => group).values()]
  const largest = Math.max(0, ...groups.map(({ length }) => length))
  const sheets: T[][] = Array.from({ length: Math.max(largest, Math.ceil(items.length / size)) }, () => [])
  for (const group of groups) {
    // The emptiest sheets, each once; equal ones in random order.
    const open = shuffled(sheets, random).toSorted((a, b) => a.length - b.length)
    for (const [at, item] of group.entries()) open[at]?.push(item)
  }
  return sheets.map((sheet) => shuffled(sheet, random))
}

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
