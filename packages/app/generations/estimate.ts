/**
 * Estimates the cost of a planned generation. The changed stages run dry over their input, with the recorded answers;
 * no model is called, and nothing is written. A large log is sampled (sample.ts), and the figures are scaled by the
 * number of utterances.
 *
 * A stage's figures are `exact` where all its answers, and those of the stages before it, are recorded. A missing
 * answer is taken to be the one before the change, so effects of different answers are not in the figures.
 */

import type { DerivationScope } from '@loomlog/generations/derivation-scope'
import type { Generation, Generations } from '@loomlog/generations/generations'
import type { PlannedStage } from '@loomlog/generations/plan'
import type { Successor } from '@loomlog/generations/successor'
import type { Host } from '@loomlog/host/open'
import { moneyFor } from '@loomlog/host/prices'
import { DryRun, type PromptedModel, type UnpaidAsk } from '@loomlog/runtime/dry-run'
import type { SpaceRecord } from '@loomlog/schemas/events'
import { answersPerSecond } from './answer-rate.ts'
import { inputOf, maxSampledEvents, sampleOf, sequenced } from './sample.ts'

export interface StageEstimate {
  readonly stage: string
  readonly basis: 'exact' | 'answers as before'
  /** Asks with a recorded answer. */
  readonly recorded: number
  readonly toPay: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Null: one of its models has no price in LOOMLOG_PRICES. */
  readonly money: number | null
}

export interface Estimate {
  readonly stages: readonly StageEstimate[]
  /** Source events in the scope. */
  readonly utterances: number
  /** Source events in the sample. */
  readonly sampled: number
  /** At the rate of recent answers; null: too few are recorded. */
  readonly seconds: number | null
}

export interface EstimateOptions {
  readonly known: Generations
  readonly base: Generation
  readonly scope: DerivationScope
  readonly successor: Successor
}

export async function estimateOf(host: Host, options: EstimateOptions): Promise<Estimate> {
  const changed = new Set(
    options.successor.stages.filter(({ reasons }) => reasons.length > 0).map(({ stage }) => stage),
  )
  const { chosen, utterances, sampled } = await sampleOf(host, options.scope, maxSampledEvents)
  const scale = sampled === 0 ? 0 : utterances / sampled
  for (let partition = 0; partition < host.partitions; partition += 1) await host.completions.follow(partition)
  const outputs = new Map<string, { readonly events: readonly SpaceRecord[]; readonly basis: StageEstimate['basis'] }>()
  const stages: StageEstimate[] = []
  for (const planned of options.successor.plan.stages.filter(({ processor }) => changed.has(processor.stage))) {
    const upstream = outputs.get(planned.reads) ?? {
      events: await inputOf(host, planned, chosen),
      basis: 'exact' as const,
    }
    const { run, events } = await dryRun(host, planned, upstream.events, options)
    const known = run.unpaid.length === 0 && run.embeddings === 0
    const basis = upstream.basis === 'exact' && known ? 'exact' : 'answers as before'
    outputs.set(planned.writes, { events, basis })
    stages.push({ stage: planned.processor.stage, basis, ...figures(host, run, scale) })
  }
  const toPay = stages.reduce((sum, stage) => sum + stage.toPay, 0)
  const rate = await answersPerSecond(host)
  return { stages, utterances, sampled, seconds: toPay === 0 ? 0 : rate && toPay / rate }
}

async function dryRun(host: Host, planned: PlannedStage, input: readonly SpaceRecord[], options: EstimateOptions) {
  const { processor, recipe, derivation } = planned
  const before = options.known.derivations.get(options.base.derivations[processor.stage] ?? '')
  const run = new DryRun({
    processor,
    parameters: recipe.parameters,
    derivation,
    now: promptedModel(host, recipe.model, planned.prompts),
    before: before === undefined ? null : promptedModel(host, before.recipe.model, before.prompts),
    embedder: recipe.embedder ?? '',
    completions: host.completions,
  })
  const events: SpaceRecord[] = []
  for (const event of input) events.push(...(await run.give(sequenced(event))))
  return { run, events }
}

function promptedModel(
  host: Host,
  model: PlannedStage['recipe']['model'],
  prompts: ReadonlyMap<string, string>,
): PromptedModel {
  if (model === null) return null
  const name = host.modelByName(model.name)?.name ?? model.name
  return { model: { name, parameters: model.parameters }, prompts }
}

function figures({ config }: Host, run: DryRun, scale: number) {
  const scaled = (sum: number) => Math.round(sum * scale)
  const total = (of: (ask: UnpaidAsk) => number) => run.unpaid.reduce((sum, ask) => sum + of(ask), 0)
  const prices = run.unpaid.map((ask) => moneyFor(config.prices, ask.model, ask))
  const isPriced = prices.every((price) => price !== null)
  return {
    recorded: scaled(run.recorded),
    toPay: scaled(run.unpaid.length),
    inputTokens: scaled(total(({ inputTokens }) => inputTokens)),
    outputTokens: scaled(total(({ outputTokens }) => outputTokens)),
    money: isPriced ? prices.reduce<number>((sum, price) => sum + (price ?? 0), 0) * scale : null,
  }
}
