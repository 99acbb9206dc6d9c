/**
 * Metrics of the whole log, from its status: progress and freshness of stages and views, parked inputs, asks, tokens
 * and money. They are the same for every process, so the gateway alone exposes them. The status is read at most every
 * `maxAgeMs`.
 */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Status } from './status.ts'
import type { Usage } from './usage.ts'

const maxAgeMs = 10_000

type StatusFigures = Pick<Status, 'epoch' | 'stages' | 'views' | 'parked' | 'parkedByCode' | 'bytes'> & {
  readonly usage: Pick<Usage, 'total'>
}

export function addStatusMetrics(registry: Registry, readStatus: () => Promise<StatusFigures>): void {
  const current = cached(readStatus)
  const gauge = (name: string, help: string, figureOf: (status: StatusFigures) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const status = await current()
        this.reset()
        if (status !== null) this.set(figureOf(status))
        else this.remove()
      },
    })
  const parts = (of: 'stages' | 'views', label: string, figure: PartFigure) =>
    new Gauge({
      name: figure.name,
      help: figure.help,
      labelNames: [label],
      registers: [registry],
      async collect() {
        const status = await current()
        this.reset()
        for (const part of status?.[of] ?? [])
          this.set({ [label]: part.name.replace('view of ', '') }, figure.figureOf(part))
      },
    })
  for (const [of, label] of [
    ['stages', 'stage'],
    ['views', 'view'],
  ] as const)
    for (const figure of partFigures(label)) parts(of, label, figure)
  parts('stages', 'stage', {
    name: 'loomlog_stage_frozen',
    help: '1: the stage of the live generation is not derived by this version or with these settings.',
    figureOf: ({ frozen }) => (frozen === null ? 0 : 1),
  })
  gauge('loomlog_parked_inputs', 'Inputs of live generations that wait for a retry.', ({ parked }) => parked)
  gauge('loomlog_generation_epoch', 'Promotions: rises with every change of the live generation.', ({ epoch }) => epoch)
  gauge('loomlog_log_bytes', "Size of the log's folder without views.", ({ bytes }) => bytes.log)
  gauge('loomlog_view_bytes', 'Size of the views in a folder; 0 for an object store.', ({ bytes }) => bytes.views)
  addCounters(registry, current)
}

type Part = StatusFigures['stages'][number]

interface PartFigure {
  readonly name: string
  readonly help: string
  figureOf(part: Part): number
}

function partFigures(label: 'stage' | 'view'): readonly PartFigure[] {
  return [
    {
      name: `loomlog_${label}_lag_records`,
      help: `Offsets of its topic that a ${label} of the live generation does not reflect yet.`,
      figureOf: ({ lag }) => lag,
    },
    {
      name: `loomlog_${label}_behind_seconds`,
      help: `Freshness: the age of the oldest record that a ${label} of the live generation does not reflect yet.`,
      figureOf: ({ behindMs }) => behindMs / 1_000,
    },
  ]
}

function addCounters(registry: Registry, current: () => Promise<StatusFigures | null>): void {
  const counter = (name: string, help: string, samplesOf: SamplesOf) =>
    new Counter({
      // Without label names, prom-client shows a 0 where there is no sample.
      name,
      help,
      labelNames: ['direction', 'code'],
      registers: [registry],
      async collect() {
        // No await between reset and inc: two concurrent scrapes would both add.
        const status = await current()
        this.reset()
        const samples = status === null ? [] : samplesOf(status, status.usage.total)
        for (const { labels = {}, value } of samples) this.inc(labels, value)
      },
    })
  const parkedHelp = 'Inputs that could not be processed, by reason; every attempt counts, in every generation.'
  counter('loomlog_inputs_parked_total', parkedHelp, ({ parkedByCode }) =>
    Object.entries(parkedByCode).map(([code, value]) => ({ labels: { code }, value })),
  )
  counter('loomlog_asks_total', 'Recorded answers of models and embedders.', (_, { asks }) => [{ value: asks }])
  const callsHelp =
    'Requests that were sent to an endpoint for recorded answers, those that failed and repairs included.'
  counter('loomlog_model_calls_total', callsHelp, (_, { calls }) => [{ value: calls }])
  const repairsHelp = 'Times that a model was asked again because its answer was invalid or parts of it were refused.'
  counter('loomlog_model_repairs_total', repairsHelp, (_, { repairs }) => [{ value: repairs }])
  counter('loomlog_model_tokens_total', 'Tokens of recorded answers.', (_, total) => [
    { labels: { direction: 'input' }, value: total.inputTokens },
    { labels: { direction: 'output' }, value: total.outputTokens },
  ])
  const moneyHelp = 'Money of recorded answers by LOOMLOG_PRICES; no sample if a model has no price.'
  counter('loomlog_model_money_total', moneyHelp, (_, { money }) => (money === null ? [] : [{ value: money }]))
}

type SamplesOf = (status: StatusFigures, total: StatusFigures['usage']['total']) => readonly CounterSample[]

interface CounterSample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads the status at most every `maxAgeMs`. Null: it couldn't be read; a condition gives the reason. */
function cached(readStatus: () => Promise<StatusFigures>): () => Promise<StatusFigures | null> {
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<StatusFigures | null> = Promise.resolve(null)
  return () => {
    if (performance.now() - readAt < maxAgeMs) return reading
    readAt = performance.now()
    reading = readStatus().catch(() => null)
    return reading
  }
}
