/** The cost of a memory: each recorded answer that it used, with its prompt, model, tokens and, where priced, money. */
import type { Generations } from '@loomlog/generations/generations'
import type { Host } from '@loomlog/host/open'
import { moneyFor } from '@loomlog/host/prices'
import { count, faint } from './print.ts'

export interface UsedAnswer {
  readonly key: string
  readonly task: string
  readonly model: string
  /** The hash of the prompt's text, as in the recipe; null for an embedding that rules asked for. */
  readonly prompt: string | null
  readonly attempts: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Null: the model has no price in LOOMLOG_PRICES. */
  readonly money: number | null
}

export interface Cost {
  readonly asks: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Of the priced answers; null where none is priced. */
  readonly money: number | null
}

interface DerivedMemory {
  readonly derivation: string | null
  readonly completions: readonly string[]
  readonly record: { readonly partition: number }
}

/** In the order of the keys; an answer that is no longer in the log is left out. */
export async function askedFor(
  { derivation, completions, record }: DerivedMemory,
  host: Host,
  known: Generations,
): Promise<readonly UsedAnswer[]> {
  if (completions.length === 0) return []
  const prompts = known.derivations.get(derivation ?? '')?.recipe.model?.prompts ?? {}
  await host.answers.follow(record.partition)
  const found: UsedAnswer[] = []
  for (const key of completions) {
    const answer = await host.answers.lookup(key)
    if (answer === null) continue
    const { task, model, attempts, inputTokens, outputTokens } = answer
    const money = moneyFor(host.config.prices, model, answer)
    found.push({ key, task, model, prompt: prompts[task] ?? null, attempts, inputTokens, outputTokens, money })
  }
  return found
}

/** Each answer once, however many memories used it. */
export function costOf(asked: readonly UsedAnswer[]): Cost {
  const each = [...new Map(asked.map((one) => [one.key, one])).values()]
  const sum = (of: (one: UsedAnswer) => number) => each.reduce((total, one) => total + of(one), 0)
  const priced = each.filter(({ money }) => money !== null)
  return {
    asks: each.length,
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    money: priced.length === 0 ? null : sum(({ money }) => money ?? 0),
  }
}

export function costText({ asks, inputTokens, outputTokens, money }: Cost): string {
  const paid = money === null ? '' : `, ${money.toFixed(6)} by LOOMLOG_PRICES`
  return `${count(asks)} asks, ${count(inputTokens)} tokens in and ${count(outputTokens)} out${paid}`
}

export function askedText({ task, model, prompt, inputTokens, outputTokens, attempts }: UsedAnswer): string {
  const by = prompt === null ? model : `${model}, prompt ${prompt.slice(0, 8)}`
  const tries = attempts > 1 ? `, ${attempts} tries` : ''
  return faint(`asked ${task} (${by}; ${count(inputTokens)}+${count(outputTokens)} tokens${tries})`)
}
