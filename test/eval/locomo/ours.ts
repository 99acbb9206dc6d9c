/** What `recall()` shows for a question, with nothing chosen: its best memories, and what it packs into each budget. */
import { recall } from '@loomlog/recall/recall'
import { maxLimit } from '@loomlog/recall/request'
import { budgets, type Item, type Shown } from './measures.ts'
import type { Memory } from './memory.ts'

export async function shownBy(memory: Memory, space: string, query: string): Promise<Shown> {
  const { items } = await recall({ space, query, limit: maxLimit }, memory)
  const packed = new Map<number, readonly Item[]>()
  for (const budgetTokens of budgets) {
    const answer = await recall({ space, query, budgetTokens }, memory)
    if (answer.tokens > budgetTokens) throw new Error(`${answer.tokens} tokens were packed into ${budgetTokens}`)
    packed.set(budgetTokens, answer.items.map(itemOf))
  }
  return { ranked: items.map(itemOf), packed }
}

function itemOf({ sources, tokens }: { readonly sources: readonly string[]; readonly tokens: number }): Item {
  return { turns: sources, tokens }
}
