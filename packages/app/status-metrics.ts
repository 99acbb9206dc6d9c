/**
 * Metrics of the whole log, from its status: progress and freshness of stages and views, parked inputs, asks, tokens and money. They are the same
 * for every process, so the gateway alone exposes them. The status is read at most every `maxAgeMs`.
 */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Status } from './status.ts'
import type { Usage } from './usage.ts'

const maxAgeMs = 10_000

type StatusFigures = Pick<Status, 'epoch' | 'stages' | 'views' | 'parked' | 'bytes'> & {
  readonly usage: Pick<Usage, 'total'>
}

export function addStatusMetrics(registry: Registry, readStatus: () => Promise<StatusFigures>): void {
  const current = kept(readStatus)
  const gauge = (name: string, help: string, figureOf: (status: StatusFigures) => number) =>
    new Gauge({
      ...{ name, help, registers: [registry] },
      async collect() {
        const status = await current()
        this.reset()
        if (status !== null) this.set(figureOf(status))
        else this.remove()
      },
    })
  const parts = (of: 'stages' | 'views', label: string, figure: PartFigure) =>
    new Gauge({
      ...{ name: figure.name, help: figure.help, labelNames: [label], registers: [registry] },
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
  gauge('loomlog_parked_inputs', 'Inputs that could not be processed and wait for a retry.', ({ parked }) => parked)
  gauge('loomlog_generation_epoch', 'Promotions: rises with every change of the live generation.', ({ epoch }) => epoch)
  gauge('loomlog_log_bytes', "Size of the log's folder without views.", ({ bytes }) => bytes.log)
  gauge('loomlog_view_bytes', 'Size of the views in a folder; 0 for an object store.', ({ bytes }) => bytes.views)
  addUsageMetrics(registry, current)
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

function addUsageMetrics(registry: Registry, current: () => Promise<StatusFigures | null>): void {
  const counter = (name: string, help: string, valuesOf: (total: Total) => readonly UsageSample[]) =>
    new Counter({
      ...{ name, help, labelNames: ['direction'], registers: [registry] },
      async collect() {
        // Without a wait after the reset: two scrapes at once would both add.
        const status = await current()
        this.reset()
        const samples = status === null ? [] : valuesOf(status.usage.total)
        for (const { labels = {}, value } of samples) this.inc(labels, value)
      },
    })
  counter('loomlog_asks_total', 'Recorded answers of models and embedders.', ({ asks }) => [{ value: asks }])
  counter('loomlog_model_calls_total', 'Calls to the endpoint for recorded answers.', ({ calls }) => [{ value: calls }])
  counter('loomlog_model_tokens_total', 'Tokens of recorded answers.', ({ inputTokens, outputTokens }) => [
    { labels: { direction: 'input' }, value: inputTokens },
    { labels: { direction: 'output' }, value: outputTokens },
  ])
  counter(
    'loomlog_model_money_total',
    'Money of recorded answers by LOOMLOG_PRICES; no sample if a model has no price.',
    ({ money }) => (money === null ? [] : [{ value: money }]),
  )
}

type Total = StatusFigures['usage']['total']

interface UsageSample {
  readonly labels?: { readonly direction: string }
  readonly value: number
}

/** Null: the status can't be read now; a condition says why. */
function kept(readStatus: () => Promise<StatusFigures>): () => Promise<StatusFigures | null> {
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<StatusFigures | null> = Promise.resolve(null)
  return () => {
    if (performance.now() - readAt < maxAgeMs) return reading
    readAt = performance.now()
    reading = readStatus().catch(() => null)
    return reading
  }
}
