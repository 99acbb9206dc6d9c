/**
 * The state of a log: how far each stage and view has come, how much is parked, how large everything is. Needs no running process. The
 * gateway shows it, so it names no tenant and no space.
 */
import { readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { readWebhooks } from '@loomlog/feed/webhook-store'
import type { Webhook } from '@loomlog/feed/webhooks'
import type { Generations } from '@loomlog/generations/generations'
import type { Serving } from '@loomlog/generations/serving'
import { readGenerations } from '@loomlog/generations/store'
import { otherConditions, type PublishedCondition } from '@loomlog/host/condition-board'
import type { Conditions } from '@loomlog/host/conditions'
import { type Host, viewsUri } from '@loomlog/host/open'
import { Readings } from '@loomlog/host/readings'
import { within } from '@loomlog/host/within'
import { liveServing } from './generations/live.ts'
import { type LanguageCounts, readLanguages } from './languages.ts'
import { readParked } from './parked.ts'
import { behindMs, type Progress, publisherProgress, stageProgress, viewProgress } from './progress.ts'
import { singleFlight } from './single-flight.ts'

/** A stage or a view. */
export interface PartStatus extends Progress {
  /** The age of the oldest record that it does not reflect yet, in ms. */
  readonly behindMs: number
}

/** Of all tenants. */
export interface WebhookCounts {
  readonly all: number
  /** Those whose receiver fails or is gone. */
  readonly disabled: number
  /** Events that receivers did not accept. */
  readonly parked: number
}

export interface Status {
  /** Null: none is live yet. */
  readonly generation: string | null
  /** How many promotions there were. */
  readonly epoch: number
  /** Others that are being derived beside it. */
  readonly beside: readonly string[]
  readonly embedder: string
  readonly model: string | null
  readonly stages: readonly PartStatus[]
  readonly views: readonly PartStatus[]
  /** Of the feed. Null: no generation is live yet. */
  readonly publisher: PartStatus | null
  readonly webhooks: WebhookCounts
  readonly parked: number
  /** Of the newest utterances. */
  readonly languages: LanguageCounts
  /** Conditions of the processes of this machine: what they wait for, since when, and when they try again. */
  readonly waiting: readonly PublishedCondition[]
  readonly bytes: { readonly log: number; readonly views: number }
}

/** How long a request for the status waits for a log that is away. */
const awayMs = 2_000

export async function readStatus(host: Host): Promise<Status> {
  const known = await readGenerations(host.log, host.codec)
  const serving = liveServing(host, known, null)
  const dir = host.config.dir
  const views = viewsUri(host.config)
  const viewBytes = await bytesIn(views)
  const within = relative(dir, views).startsWith('..') ? 0 : viewBytes
  const readings = new Readings(host, { current: known })
  const of = serving && { host, known, serving, readings }
  const running = [...known.generations.values()].filter(({ status }) => status === 'running')
  const status = {
    generation: serving?.id ?? null,
    epoch: known.epoch,
    beside: running.map(({ id }) => id).filter((id) => id !== serving?.id),
    embedder: serving?.viewEmbedder ?? host.embedder.space.name,
    model: modelOf(known, serving),
    stages: of ? await withAge(host, await stageProgress(of)) : [],
    views: of ? await withAge(host, await viewProgress(of)) : [],
    publisher: of ? await partStatus(host, await publisherProgress(host)) : null,
    webhooks: webhookCounts(await readWebhooks(host, null)),
    parked: (await readParked(host)).length,
    languages: await readLanguages(host),
    waiting: await otherConditions(dir),
    bytes: { log: (await bytesIn(dir)) - within, views: viewBytes },
  }
  await readings.close()
  return status
}

/**
 * The body of GET /v1/status. Callers at once share readings, and wait for a short time only while the log is away.
 * @throws LoomlogError `log-unavailable`
 */
export function statusWithConditions(host: Host, conditions: Conditions): () => Promise<object> {
  const read = singleFlight(() => readStatus(host))
  return async () => {
    const status = await (conditions.current.has('log') ? within(awayMs, read()) : read())
    return { ...status, conditions: Object.fromEntries(conditions.current) }
  }
}

async function withAge(host: Host, parts: readonly Progress[]): Promise<readonly PartStatus[]> {
  return Promise.all(parts.map((part) => partStatus(host, part)))
}

async function partStatus(host: Host, part: Progress): Promise<PartStatus> {
  return { ...part, behindMs: await behindMs(host, part) }
}

function webhookCounts(webhooks: readonly Webhook[]): WebhookCounts {
  const disabled = webhooks.filter(({ status }) => status === 'disabled').length
  return { all: webhooks.length, disabled, parked: sum(webhooks.map(({ parked }) => parked.size)) }
}

/** The models that derive this generation; null: rules. */
export async function modelBehind({ log, codec }: Host, serving: Serving): Promise<string | null> {
  return modelOf(await readGenerations(log, codec), serving)
}

function modelOf(known: Generations, serving: Serving | null): string | null {
  const models = serving?.stages.map(({ derivation }) => known.derivations.get(derivation)?.recipe.model?.name)
  return [...new Set(models?.filter((name) => name !== undefined))].join(', ') || null
}

/** Of an object store: 0, since asking for it takes a while and costs. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = entries
    .filter((entry) => entry.isFile())
    // A file that maintenance removes meanwhile counts no more.
    .map((entry) =>
      stat(join(entry.parentPath, entry.name))
        .then((file) => file.size)
        .catch(() => 0),
    )
  return sum(await Promise.all(sizes))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
