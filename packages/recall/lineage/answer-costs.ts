/**
 * The cost of memories: each recorded answer that they used, with its prompt, model, tokens and, where priced, money.
 */
import type { TailOptions } from '../search/log-tail.ts'
import { type Effect, type Impact, impact } from './impact.ts'
import { type Lineage, why } from './why.ts'

export interface UsedAnswer {
  readonly key: string
  readonly task: string
  readonly model: string
  /** The hash of the prompt's text, as in the recipe; null for an embedding that rules asked for. */
  readonly prompt: string | null
  readonly attempts: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Null: the model has no price. */
  readonly money: number | null
}

export interface Cost {
  readonly asks: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** The price of the priced answers together; null: none has a price. */
  readonly money: number | null
}

/** The recorded answers that a memory used, in the order of its keys. */
export type AnswersOf = (
  memory: Pick<Effect, 'derivation' | 'completions' | 'record'>,
) => Promise<readonly UsedAnswer[]>

export interface PricedLineage extends Lineage {
  readonly asked: readonly UsedAnswer[]
  readonly causes: readonly PricedLineage[]
}

/** @throws LoomlogError as `why` */
export async function whyWithCost(
  id: string,
  space: string,
  options: TailOptions & { readonly answersOf: AnswersOf },
): Promise<PricedLineage & { readonly cost: Cost }> {
  const priced = new Map<string, PricedLineage>()
  const price = async (of: Lineage): Promise<PricedLineage> => {
    const known = priced.get(of.id)
    if (known !== undefined) return known
    const asked = await options.answersOf(of)
    const causes: PricedLineage[] = []
    for (const cause of of.causes) causes.push(await price(cause))
    const lineage = { ...of, asked, causes }
    priced.set(of.id, lineage)
    return lineage
  }
  const lineage = await price(await why(id, space, options))
  return { ...lineage, cost: costOf([...priced.values()].flatMap(({ asked }) => asked)) }
}

export interface PricedImpact extends Pick<Impact, 'id' | 'rebuilding'> {
  readonly counts: readonly { readonly kind: string; readonly evidence: number; readonly context: number }[]
  /** The first ones, in the order of the stages. */
  readonly effects: readonly Effect[]
  readonly leftOut: number
  readonly cost: Cost
}

/** @param limit largest number of effects @throws LoomlogError as `impact` */
export async function impactWithCost(
  id: string,
  space: string,
  { limit, ...options }: TailOptions & { readonly answersOf: AnswersOf; readonly limit: number },
): Promise<PricedImpact> {
  const { effects, ...found } = await impact(id, space, options)
  const asked: UsedAnswer[] = []
  for (const effect of effects) asked.push(...(await options.answersOf(effect)))
  const counts = [...Map.groupBy(effects, ({ kind }) => kind)].map(([kind, of]) => {
    const evidence = of.filter(({ by }) => by === 'evidence').length
    return { kind, evidence, context: of.length - evidence }
  })
  const shown = effects.slice(0, limit)
  return { ...found, counts, effects: shown, leftOut: effects.length - shown.length, cost: costOf(asked) }
}

/** Each answer once, however many memories used it. */
function costOf(asked: readonly UsedAnswer[]): Cost {
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
