/**
 * Retention: the rules of LOOMLOG_RETENTION, applied to the spaces of the log. Once a day each space forgets the
 * utterances and corrections that were appended longer ago than its rule allows.
 *
 * The age counts from the append, since a writer chooses the time of an utterance. The days begin at midnight, UTC, so
 * the time before which events go stays the same for a day: once a space has forgotten them, nothing is selected until
 * the next day, in any process. So no position has to be kept.
 */
import { isLoomlogError } from '@loomlog/errors'
import { divide } from '@loomlog/forgetting/divide'
import { noCriteria, type Selection } from '@loomlog/forgetting/selection'
import { readEras } from '@loomlog/forgetting/space-history'
import type { Host } from '@loomlog/host/open'
import { type RetentionRule, retentionRuleOf } from '@loomlog/host/retention-rules'
import { misplacementOf } from '@loomlog/log/partition'
import type { SourceEvent } from '@loomlog/schemas/events'
import type { Logger } from 'pino'
import { appendRequest } from './operations.ts'

export interface ExpiredSpace {
  readonly tenant: string
  readonly space: string
  /** The text of the rule. */
  readonly rule: string
  /** Log time: events that were appended before it are forgotten. */
  readonly appendedBefore: number
  readonly utterances: number
  /** Corrections, retractions and feedback. */
  readonly corrections: number
}

export type RetentionHost = Pick<Host, 'log' | 'codec' | 'partitions' | 'topics'> & {
  readonly config: Pick<Host['config'], 'retention'>
}

const dayMs = 86_400_000
/** A clock that goes ahead by more at once may be wrong, and what is forgotten is gone. */
const mostJumpMs = 3_600_000

/**
 * The spaces that have something to forget at a time, in the order of their first utterances.
 * @param partitions null: all
 */
export async function expiredSpaces(
  { log, codec, partitions: count, config }: RetentionHost,
  { now, partitions }: { readonly now: number; readonly partitions: readonly number[] | null },
): Promise<readonly ExpiredSpace[]> {
  const spaces = new Map<string, AgeingSpace | null>()
  const where = partitions === null ? {} : { partitions }
  for await (const records of log.read({ topic: 'utterances', ...where, until: 'end' })) {
    for (const record of records) {
      const { key, value } = record
      if (key === null || misplacementOf(record, count) !== null) continue
      const ageing = spaces.get(key) ?? ageingSpace(retentionRuleOf(key, config.retention), now)
      spaces.set(key, ageing)
      if (ageing !== null) note(ageing, (await codec.decodeOrNull(value)) as SourceEvent | null)
    }
  }
  return [...spaces].flatMap(([key, ageing]) => (ageing === null ? [] : expired(key, ageing)))
}

interface AgeingSpace {
  readonly rule: string
  readonly appendedBefore: number
  /** Ids of events that are old enough, since the last forgetting. */
  readonly utterances: Set<string>
  readonly corrections: Set<string>
}

/** Null: the space keeps everything. */
function ageingSpace(rule: RetentionRule | null, now: number): AgeingSpace | null {
  if (rule === null || rule.days === null) return null
  const appendedBefore = (Math.floor(now / dayMs) - rule.days) * dayMs
  return { rule: rule.text, appendedBefore, utterances: new Set(), corrections: new Set() }
}

function note({ appendedBefore, utterances, corrections }: AgeingSpace, event: SourceEvent | null): void {
  switch (event?.type) {
    case 'SubjectForgotten':
      utterances.clear()
      corrections.clear()
      return
    case 'UtteranceAppended':
      if (event.appendedAt < appendedBefore) utterances.add(event.id)
      return
    case 'MemoryCorrected':
    case 'EvidenceRetracted':
    case 'FeedbackGiven':
      if (event.appendedAt < appendedBefore) corrections.add(event.id)
  }
}

function expired(key: string, { rule, appendedBefore, utterances, corrections }: AgeingSpace): readonly ExpiredSpace[] {
  if (utterances.size + corrections.size === 0) return []
  const slash = key.indexOf('/')
  const place = { tenant: key.slice(0, slash), space: key.slice(slash + 1) }
  return [{ ...place, rule, appendedBefore, utterances: utterances.size, corrections: corrections.size }]
}

export interface RetentionOptions {
  readonly partition: number
  now(): number
  /** Gets the forgettings that are requested, and as a warning the reason why none is. */
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

/** The spaces of a partition, one after the other, so that no day begins with a thousand forgettings at once. */
export class Retention {
  readonly #host: RetentionHost
  readonly #options: RetentionOptions
  #day: number | null = null
  #last: { readonly time: number; readonly uptime: number } | null = null
  #left: ExpiredSpace[] = []

  constructor(host: RetentionHost, options: RetentionOptions) {
    this.#host = host
    this.#options = options
  }

  /** Requests the forgetting of the next space. Null: none is left today. */
  async next(): Promise<{ readonly space: string } | null> {
    if (this.#host.config.retention.length === 0) return null
    await this.#beginDay()
    const { logger } = this.#options
    for (let found = this.#left.shift(); found !== undefined; found = this.#left.shift()) {
      const space = `${found.tenant}/${found.space}`
      try {
        const id = await requestExpiry(found, this.#host)
        if (id === null) continue
        logger.info(
          `retention ${found.rule}: forgetting ${id} is requested in ${space}, ${found.utterances} utterances`,
        )
        return { space }
      } catch (error) {
        if (!isLoomlogError(error, 'generation-refused')) throw error
        logger.warn(`retention ${found.rule} forgets nothing today: ${error.message}`)
        this.#left = []
      }
    }
    return null
  }

  async #beginDay(): Promise<void> {
    const { now, partition, logger } = this.#options
    const time = now()
    const day = Math.floor(time / dayMs)
    const jumpMs = this.#jumpTo(time)
    if (day === this.#day) return
    if (jumpMs > mostJumpMs) {
      const hours = Math.round(jumpMs / 3_600_000)
      logger.warn(`the clock went ahead by ${hours} hours at once: retention forgets nothing before the next day`)
      this.#left = []
      this.#day = day
      return
    }
    this.#left = [...(await expiredSpaces(this.#host, { now: time, partitions: [partition] }))]
    this.#day = day
  }

  /** How far the clock went ahead of the time that passed since the last call. */
  #jumpTo(time: number): number {
    const uptime = performance.now()
    const { time: before, uptime: since } = this.#last ?? { time, uptime }
    this.#last = { time, uptime }
    return time - before - (uptime - since)
  }
}

/** Null: meanwhile there is nothing to forget. */
async function requestExpiry(found: ExpiredSpace, host: RetentionHost): Promise<string | null> {
  const { tenant, space, rule, appendedBefore } = found
  const selection: Selection = { ...noCriteria, appendedBefore }
  const events = (await readEras(`${tenant}/${space}`, host)).at(-1)?.events ?? []
  if (divide(events, selection).forgotten.every(({ type }) => type === 'RetryRequested')) return null
  return appendRequest({ tenant, space, selection, by: 'retention', principal: `retention:${rule}` }, host)
}
