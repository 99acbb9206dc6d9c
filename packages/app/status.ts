/**
 * The state of a log: how far each stage and view has come, how much is parked, how large everything is. Needs no
 * running process. The gateway shows it, so it names no tenant and no space.
 */
import { readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { readWebhooks } from '@loomlog/feed/webhook-store'
import type { Webhook } from '@loomlog/feed/webhooks'
import type { Generations } from '@loomlog/generations/generations'
import { liveGenerations } from '@loomlog/generations/pointers'
import type { ServingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import { otherConditions, type PublishedCondition } from '@loomlog/host/condition-board'
import type { Conditions } from '@loomlog/host/conditions'
import { GenerationReader } from '@loomlog/host/generation-reader'
import { type Host, viewsUri } from '@loomlog/host/open'
import { withTimeout } from '@loomlog/host/with-timeout'
import { liveServing } from './generations/live.ts'
import { type LanguageCounts, readLanguages } from './languages.ts'
import { retryRefusal } from './parked.ts'
import { type CountsByCode, ParkedInputs } from './parked-inputs.ts'
import { behindMs, type Progress, publisherProgress, stageProgress, viewProgress } from './progress.ts'
import { singleFlight } from './single-flight.ts'

/** A stage or a view. */
export interface PartStatus extends Progress {
  /** The age of the oldest record that it does not reflect yet, in ms. */
  readonly behindMs: number
}

/** Webhooks and their parked events, of all tenants. */
export interface WebhookCounts {
  readonly all: number
  /** Webhooks whose receiver fails or is gone. */
  readonly disabled: number
  /** Events that receivers did not accept. */
  readonly parked: number
}

export interface Status {
  /** Null: none is live yet. */
  readonly generation: string | null
  /** How many promotions there were. */
  readonly epoch: number
  /** Other generations that are being derived beside it. */
  readonly beside: readonly string[]
  readonly embedder: string
  readonly model: string | null
  readonly stages: readonly PartStatus[]
  readonly views: readonly PartStatus[]
  /** Progress of the feed; null: no generation is live yet. */
  readonly publisher: PartStatus | null
  readonly webhooks: WebhookCounts
  /** Parked inputs of live generations that wait for a retry. */
  readonly parked: number
  /** How often inputs were parked, each attempt and each generation counted. */
  readonly parkedByCode: CountsByCode
  /** Languages of the newest utterances. */
  readonly languages: LanguageCounts
  /** Conditions of the processes of this machine: what they wait for, since when, and when they try again. */
  readonly waiting: readonly PublishedCondition[]
  readonly bytes: { readonly log: number; readonly views: number }
}

/** How long a request for the status waits for a log that is away. */
const awayMs = 2_000

/** Reads the status. Concurrent callers share a reading, and a later one reads only the parked inputs that are new. */
export function statusReader(host: Host): () => Promise<Status> {
  const parked = new ParkedInputs(host, (input) => (retryRefusal(input, host) === null ? input.derivation : null))
  return singleFlight(() => readStatus(host, parked))
}

async function readStatus(host: Host, parked: ParkedInputs<string>): Promise<Status> {
  await parked.read()
  const known = await readGenerations(host.log, host.codec)
  const serving = liveServing(host, known, null)
  const dir = host.config.dir
  const views = viewsUri(host.config)
  const viewBytes = await bytesIn(views)
  const viewBytesInDir = relative(dir, views).startsWith('..') ? 0 : viewBytes
  const generationReader = new GenerationReader(host, { current: known })
  const of = serving && { host, known, serving, generationReader }
  const live = liveDerivations(known)
  const running = [...known.generations.values()].filter(({ status }) => status === 'running')
  const status = {
    generation: serving?.id ?? null,
    epoch: known.epoch,
    beside: running.map(({ id }) => id).filter((id) => id !== serving?.id),
    embedder: serving?.viewEmbedder ?? host.embedder.vectorSpace.name,
    model: modelOf(known, serving),
    stages: of ? await withAge(host, await stageProgress(of)) : [],
    views: of ? await withAge(host, await viewProgress(of)) : [],
    publisher: of ? await partStatus(host, await publisherProgress(host)) : null,
    webhooks: webhookCounts(await readWebhooks(host, null)),
    parked: parked.open.filter((derivation) => live.has(derivation)).length,
    parkedByCode: parked.counts,
    languages: await readLanguages(host),
    waiting: await otherConditions(dir),
    bytes: { log: (await bytesIn(dir)) - viewBytesInDir, views: viewBytes },
  }
  await generationReader.close()
  return status
}

/**
 * The body of GET /v1/status. Concurrent callers share a reading. While the log is away they wait `awayMs` at most.
 * @throws LoomlogError `log-unavailable`
 */
export function statusWithConditions(host: Host, conditions: Conditions): () => Promise<object> {
  const read = statusReader(host)
  return async () => {
    const status = await (conditions.current.has('log') ? withTimeout(awayMs, read()) : read())
    return { ...status, conditions: Object.fromEntries(conditions.current) }
  }
}

/** The derivations of everyone's live generation, and of those of single tenants. */
function liveDerivations(known: Generations): ReadonlySet<string> {
  const generations = [...liveGenerations(known)].map((id) => known.generations.get(id))
  return new Set(generations.flatMap((generation) => Object.values(generation?.derivations ?? {})))
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
export async function modelsOfGeneration({ log, codec }: Host, serving: ServingGeneration): Promise<string | null> {
  return modelOf(await readGenerations(log, codec), serving)
}

function modelOf(known: Generations, serving: ServingGeneration | null): string | null {
  const models = serving?.stages.map(({ derivation }) => known.derivations.get(derivation)?.recipe.model?.name)
  return [...new Set(models?.filter((name) => name !== undefined))].join(', ') || null
}

/** The size of a folder's files. An object store counts as 0, since listing it is slow and costs money. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = entries
    .filter((entry) => entry.isFile())
    // Maintenance may remove a file meanwhile.
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
