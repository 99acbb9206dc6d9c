/** The order of changed values: recall should return the new value before the old one. */
import type { SearchedQuestion } from './evaluation.ts'
import type { Item } from './measures.ts'
import { loomlogMethod } from './table.ts'

export interface UpdateOrder {
  /** The number of questions whose old and new value are both among the results. */
  readonly questions: number
  readonly newerFirst: number
}

export function updateOrder(all: readonly SearchedQuestion[]): UpdateOrder {
  const orders = all.flatMap(({ question: { update }, outputs }) => {
    const ranked = outputs.get(loomlogMethod)?.ranked ?? []
    if (update === undefined) return []
    const [older, newer] = [rankOf(update.older, ranked), rankOf(update.newer, ranked)]
    return older < 0 || newer < 0 || older === newer ? [] : [newer < older]
  })
  return { questions: orders.length, newerFirst: orders.filter(Boolean).length }
}

function rankOf(ids: readonly string[], ranked: readonly Item[]): number {
  return ranked.findIndex(({ turns }) => turns.some((id) => ids.includes(id)))
}

export function updateOrderText({ questions, newerFirst }: UpdateOrder): string {
  return `the new value comes before the old one in ${newerFirst} of ${questions} updates`
}
