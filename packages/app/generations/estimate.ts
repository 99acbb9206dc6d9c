/**
 * Estimates the cost of a planned generation. The changed stages run dry over their input, with the recorded answers; no model is called, and
 * nothing is written. A large log is sampled by space, and the figures are scaled by the number of utterances.
 *
 * A stage's figures are `exact` where all its answers, and those of the stages before it, are recorded. A missing answer is taken to be the one
 * before the change, so effects of different answers are not in the figures.
 */
import type { Generation, Generations } from '@loomlog/generations/generations'
import type { PlannedStage } from '@loomlog/generations/plan'
import { covers, type Scope } from '@loomlog/generations/scope'
import type { Successor } from '@loomlog/generations/successor'
import type { Host } from '@loomlog/host/open'
import { moneyFor } from '@loomlog/host/prices'
import { DryRun, type PromptedModel, type UnpaidAsk } from '@loomlog/runtime/dry-run'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import { admit } from '@loomlog/schemas/admission'
import type { SourceEvent, SpaceRecord } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import { eventsOf } from '../derived-events.ts'
import { answersPerSecond } from './answer-rate.ts'

export interface StageEstimate {
  readonly stage: string
  readonly basis: 'exact' | 'answers as before'
  /** Asks with a recorded answer. */
  readonly recorded: number
  readonly toPay: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Null: a model of it has no price in LOOMLOG_PRICES. */
  readonly money: number | null
}

export interface Estimate {
  readonly stages: readonly StageEstimate[]
  readonly utterances: number
  /** The utterances in the sample. */
  readonly sampled: number
  /** At the rate of recent answers; null: too few are recorded. */
  readonly seconds: number | null
}

/** Largest sample: a dry run over it takes some seconds. */
const maxUtterances = 5_000

export interface EstimateOptions {
  readonly known: Generations
  readonly base: Generation
  readonly scope: Scope
  readonly successor: Successor
}

export async function estimateOf(host: Host, options: EstimateOptions): Promise<Estimate> {
  const changed = new Set(
    options.successor.stages.filter(({ reasons }) => reasons.length > 0).map(({ stage }) => stage),
  )
  const { chosen, utterances, sampled } = await sampleOf(host, options.scope)
  const scale = sampled === 0 ? 0 : utterances / sampled
  for (let partition = 0; partition < host.partitions; partition += 1) await host.answers.follow(partition)
  const made = new Map<string, { readonly events: readonly SpaceRecord[]; readonly basis: StageEstimate['basis'] }>()
  const stages: StageEstimate[] = []
  for (const planned of options.successor.plan.stages.filter(({ processor }) => changed.has(processor.stage))) {
    const upstream = made.get(planned.reads) ?? {
      events: await inputOf(host, planned, chosen),
      basis: 'exact' as const,
    }
    const { run, events } = await driven(host, planned, upstream.events, options)
    const known = run.unpaid.length === 0 && run.embeddings === 0
    const basis = upstream.basis === 'exact' && known ? 'exact' : 'answers as before'
    made.set(planned.writes, { events, basis })
    stages.push({ stage: planned.processor.stage, basis, ...figures(host, run, scale) })
  }
  const toPay = stages.reduce((sum, stage) => sum + stage.toPay, 0)
  const rate = await answersPerSecond(host)
  return { stages, utterances, sampled, seconds: toPay === 0 ? 0 : rate && toPay / rate }
}

/** Spaces in an order of chance that is always the same, until there is enough. */
async function sampleOf({ log }: Host, scope: Scope) {
  const counts = new Map<string, number>()
  for await (const records of log.read({ topic: 'utterances', until: 'end' })) {
    for (const { key } of records) if (key !== null && covers(scope, key)) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const inOrder = [...counts].map(([space, count]) => ({ space, count, at: hash(space) }))
  const chosen = new Set<string>()
  let sampled = 0
  for (const { space, count } of inOrder.sort((a, b) => (a.at < b.at ? -1 : 1))) {
    if (sampled > 0 && sampled + count > maxUtterances) break
    chosen.add(space)
    sampled += count
  }
  return { chosen, sampled, utterances: [...counts.values()].reduce((sum, count) => sum + count, 0) }
}

/** The input of the stage, from the log: the chosen spaces' events, with their seqs. */
async function inputOf(host: Host, { processor, reads }: PlannedStage, chosen: ReadonlySet<string>) {
  const places = new Map<string, number>()
  const seen = new Map<string, string>()
  const found: SequencedEvent<SpaceRecord>[] = []
  for await (const { key, event } of eventsOf(host, reads)) {
    if (!chosen.has(key) || !('space' in event) || !('id' in event)) continue
    if (reads !== 'utterances') {
      if (processor.handles.includes(event.type)) found.push(sequenced(event as SpaceRecord))
      continue
    }
    const source = event as SourceEvent
    const passed = [...processor.handles, ...processor.writes.records]
    const admission = admit(source, key, passed, seen.get(`${key} ${source.id}`) ?? null)
    if (admission.outcome !== 'admitted') continue
    seen.set(`${key} ${source.id}`, admission.content)
    const seq = places.get(key) ?? 0
    places.set(key, seq + 1)
    found.push({ ...source, seq })
  }
  return found
}

async function driven(host: Host, planned: PlannedStage, input: readonly SpaceRecord[], options: EstimateOptions) {
  const { processor, recipe, derivation } = planned
  const before = options.known.derivations.get(options.base.derivations[processor.stage] ?? '')
  const run = new DryRun({
    processor,
    parameters: recipe.parameters,
    derivation,
    now: promptedModel(host, recipe.model, planned.prompts),
    before: before === undefined ? null : promptedModel(host, before.recipe.model, before.prompts),
    embedder: recipe.embedder ?? '',
    book: host.answers,
  })
  const events: SpaceRecord[] = []
  for (const event of input) events.push(...(await run.give(sequenced(event))))
  return { run, events }
}

/** Derived events have their places; for source events that are no utterance's, none is known here. */
function sequenced(event: SpaceRecord): SequencedEvent<SpaceRecord> {
  return { ...event, seq: ('seq' in event ? event.seq : null) ?? 0 }
}

function promptedModel(
  host: Host,
  model: PlannedStage['recipe']['model'],
  prompts: ReadonlyMap<string, string>,
): PromptedModel {
  if (model === null) return null
  const name = host.modelNamed(model.name)?.name ?? model.name
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
