/**
 * The size of a generation's memory, and the loss that a promotion would bring. Only whole memories are compared: a
 * generation that covers some spaces can't be promoted in their place. A live memory without facts and entries can lose
 * none.
 */
import { and, atLeast, before } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import { current } from '@loomlog/views/row'
import { entries } from '@loomlog/views/tables/entries'
import { facts } from '@loomlog/views/tables/facts'

export interface MemorySize {
  readonly facts: number
  readonly entries: number
}

/** A generation with a smaller share of the live one's facts, or of its entries, is not promoted. */
const leastShare = 0.5

/** @param tenant null: everyone */
export async function memorySize(views: ViewReader, tenant: string | null): Promise<MemorySize> {
  // `0` follows `/`: the spaces of the tenant are those between the two.
  const wanted =
    tenant === null ? current : and(current, and(atLeast('space', `${tenant}/`), before('space', `${tenant}0`)))
  return { facts: await views.total(facts, wanted), entries: await views.total(entries, wanted) }
}

/**
 * Both sizes as text, where the next memory lacks more than half of the live one's facts or entries; null: it doesn't.
 */
export function lossOf(live: MemorySize, next: MemorySize): string | null {
  const isLost = next.facts < live.facts * leastShare || next.entries < live.entries * leastShare
  const counted = (value: number) => value.toLocaleString('en')
  if (!isLost) return null
  return `${counted(next.facts)} facts and ${counted(next.entries)} entries, and the live one has ${counted(live.facts)} and ${counted(live.entries)}`
}
