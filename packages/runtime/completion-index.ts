/**
 * The recorded answers by key: an index over the topic `completions`, in a file that the processes of one machine share
 * (completions-file.ts). It is filled in log order and never overwritten, so the lowest offset wins. An answer is used
 * only once the index has read it back from the log.
 *
 * An index of another log is emptied when a partition is followed, and so is a partition of an older copy of this log.
 * A damaged file is rebuilt while look-ups wait: an answer that is in the log is never paid for twice.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { checkpointAfter, continuityOf } from '@loomlog/log/checkpoint'
import { isDamage, isSqliteError } from '@loomlog/log/disposable-file'
import { type Log, type LogRecord, maxRecordBytes, type Position } from '@loomlog/log/port'
import { unreadableReason } from '@loomlog/log/unreadable-value'
import type { Codec } from '@loomlog/schemas/codec'
import type { AnswerRecorded } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import type { CompletionStore } from './answers.ts'
import {
  CompletionsFile,
  completionsFileName,
  type DayUsage,
  type ModelUsage,
  type RecordedValue,
  type StoredValue,
  type Usage,
} from './completions-file.ts'
import { Follower } from './follower.ts'
import { Recorder } from './recorder.ts'
import { repairsOf } from './repair-asks.ts'

const topic = 'completions'

export type { DayUsage, ModelUsage, Usage } from './completions-file.ts'

export interface CompletionIndexOptions {
  readonly log: Log
  readonly codec: Codec
  /** Holds the file; null: the index is in memory. */
  readonly dir: string | null
  /** Reports a rebuild of the index with its reason, and each answer that is lost because its record is damaged. */
  onRebuild?(message: string): void
}

export class CompletionIndex implements CompletionStore {
  readonly #log: Log
  readonly #codec: Codec
  readonly #file: CompletionsFile
  readonly #onRebuild: (message: string) => void
  readonly #recorder: Recorder
  #closing = new AbortController()
  readonly #followers = new Map<number, Follower>()
  /** Partitions that a caller has followed: they are read again when the file is. */
  readonly #followed = new Set<number>()
  #making: Promise<void> | null = null
  /** Set until the index is whole again. */
  #damage: Error | null = null
  #isClosed = false

  constructor({ log, codec, dir, onRebuild = () => {} }: CompletionIndexOptions) {
    this.#log = log
    this.#codec = codec
    this.#onRebuild = onRebuild
    this.#recorder = new Recorder(log, topic)
    try {
      this.#file = new CompletionsFile({ dir, sealing: log.sealing, onRebuild })
    } catch (error) {
      throw unavailable(error)
    }
  }

  /** Follows a partition from where the index has read to; returns when it has read to the present end. */
  async follow(partition: number): Promise<void> {
    const end = (await this.#log.endOffsets(topic))[partition] ?? 0
    await this.#whole()
    this.#followed.add(partition)
    await (await this.#follower(partition)).waitFor(end)
  }

  async lookup(key: string): Promise<AnswerRecorded | null> {
    await this.#whole()
    const found = await this.#find(key)
    if (found === null) return null
    const value = await this.#unlessDamaged(() => this.#file.open(found))
    return value === null ? null : ((await this.#codec.decode(value)) as AnswerRecorded)
  }

  /**
   * The accounts of all recorded answers with the most tokens; each answer counts once.
   * @param tenant null: all tenants
   */
  async usage(tenant: string | null, limit: number): Promise<readonly Usage[]> {
    await this.#whole()
    return this.#unlessDamaged(() => this.#file.usage(tenant, limit))
  }

  /** @param since the first UTC day that counts, in ms; 0: from the beginning */
  async usageByModel(tenant: string | null, since: number): Promise<readonly ModelUsage[]> {
    await this.#whole()
    return this.#unlessDamaged(() => this.#file.usageByModel(tenant, since))
  }

  /** By stage, prompt and model, the newest days first. @param since the first UTC day that counts, in ms */
  async usageByDay(tenant: string | null, since: number, limit: number): Promise<readonly DayUsage[]> {
    await this.#whole()
    return this.#unlessDamaged(() => this.#file.usageByDay(tenant, since, limit))
  }

  /** Returns the answer that counts, once it is durable. */
  async record(space: string, answer: AnswerRecorded): Promise<AnswerRecorded> {
    const { partition, offset } = await this.#append(space, answer)
    await this.#whole()
    await (await this.#follower(partition)).waitFor(offset + 1)
    const recorded = await this.lookup(answer.key)
    if (recorded === null) throw new Error(`${answer.key} is in ${topic}, and not in the index over it`)
    return recorded
  }

  /** Erases a space's answers of these records of its partition, before the log loses them. */
  async forgetAnswers(space: string, offsets: readonly number[]): Promise<void> {
    await this.#whole()
    await this.#unlessDamaged(() => this.#file.forgetAnswers(space, offsets))
  }

  async close(): Promise<void> {
    await this.#recorder.close()
    this.#isClosed = true
    await this.#endFollowers()
    await this.#making?.catch(() => {})
    this.#file.close()
  }

  /** An answer that is too large for a record, or for the broker, stays so however often the model is asked. */
  async #append(space: string, answer: AnswerRecorded): Promise<Position> {
    const append = (value: Uint8Array) => this.#recorder.append({ key: space, value, timestamp: Date.now() })
    const value = this.#codec.encode(answer)
    const none = `the answer has ${value.byteLength} bytes; a record holds ${maxRecordBytes}`
    const withoutAnswer = (reason: string) =>
      append(this.#codec.encode({ ...answer, answer: null, vector: null, none: reason }))
    if (value.byteLength > maxRecordBytes) return await withoutAnswer(none)
    try {
      return await append(value)
    } catch (error) {
      if (!isLoomlogError(error, 'record-too-large')) throw error
      return await withoutAnswer(`the answer has ${value.byteLength} bytes: ${error.message}`)
    }
  }

  /** A follower that failed is replaced by the next caller. */
  async #follower(partition: number): Promise<Follower> {
    const running = this.#followers.get(partition)
    if (running) return running
    const log = await this.#log.identity(topic)
    this.#requireOpen()
    await this.#forgetOtherLogs(log, partition)
    this.#requireOpen()
    // Another caller may have started one meanwhile.
    const started = this.#followers.get(partition)
    if (started) return started
    const follower = new Follower({
      log: this.#log,
      topic,
      partition,
      from: this.#file.checkpoint(partition)?.offset ?? 0,
      signal: this.#closing.signal,
      keep: (records) => this.#keep(log, partition, records),
    })
    this.#followers.set(partition, follower)
    void follower.ended.then(() => this.#followers.delete(partition))
    return follower
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new LoomlogError('log-unavailable', 'the index over completions is closed')
  }

  async #endFollowers(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#followers.values()].map((follower) => follower.ended))
  }

  /** The log was replaced, or restored from an older copy, since the index read it. */
  async #forgetOtherLogs(log: string, partition: number): Promise<void> {
    const other = await this.#unlessDamaged(() => this.#file.clearOther(log))
    if (other !== null) this.#reportOtherLog(`${topic} is ${log}, and was ${other}`, 'it')
    const before = await this.#unlessDamaged(() => this.#file.checkpoint(partition))
    if (before === null) return
    const continuity = await continuityOf(this.#log, { topic, partition }, before)
    if (continuity.kind === 'continues') return
    this.#reportOtherLog(continuity.reason, `partition ${partition}`)
    await this.#unlessDamaged(() => this.#file.forget(partition, before))
  }

  #reportOtherLog(reason: string, part: string): void {
    this.#onRebuild(`${completionsFileName} was made from another log (${reason}): ${part} is rebuilt`)
  }

  async #keep(log: string, partition: number, records: readonly LogRecord[]): Promise<void> {
    const last = records.at(-1)
    if (!last) return
    const answers: (RecordedValue & { readonly at: number })[] = []
    for (const { value, offset, timestamp } of records) {
      const damage = unreadableReason(value)
      if (damage !== null)
        this.#onRebuild(
          `an answer at ${topic}/${partition}@${offset} is lost (${damage}): it is asked again when it is needed`,
        )
      const answer = await this.#answerIn(value)
      if (answer !== null) answers.push({ ...recordedValue(answer, value), offset, at: timestamp })
    }
    for (const { key } of answers) await this.#find(key)
    await this.#log.sealing?.ready([...new Set(answers.map(({ account }) => spaceKey(account.tenant, account.space)))])
    try {
      this.#file.keep(partition, answers, checkpointAfter(log, last))
    } catch (error) {
      if (!isDamage(error)) throw unavailable(error)
      void this.#rebuild(error as Error).catch(() => {})
      throw rebuilding(error)
    }
  }

  /** A value that can be opened, if there is one. */
  async #find(key: string): Promise<StoredValue | null> {
    const found = await this.#unlessDamaged(() => this.#file.find(key))
    if (found !== null) await this.#file.refreshFor(found)
    return found
  }

  async #unlessDamaged<T>(read: () => T): Promise<T> {
    try {
      return read()
    } catch (error) {
      if (!isDamage(error)) throw unavailable(error)
      // A rebuild must not wait for itself: it fails, and the next look-up begins another one.
      if (this.#making !== null) {
        this.#damage = error as Error
        throw rebuilding(error)
      }
      await this.#rebuild(error as Error)
      return read()
    }
  }

  /** Look-ups in an incomplete file would pay for answers that the log has. */
  async #whole(): Promise<void> {
    if (this.#damage !== null) await this.#rebuild(this.#damage)
  }

  /** Followers end first, since what they still write belongs to the old file. */
  #rebuild(why: Error): Promise<void> {
    this.#damage = why
    this.#making ??= this.#endFollowers()
      .then(async () => {
        if (this.#isClosed) return
        this.#file.rebuild(why.message)
        this.#closing = new AbortController()
        const ends = await this.#log.endOffsets(topic)
        for (const partition of this.#followed) await (await this.#follower(partition)).waitFor(ends[partition] ?? 0)
        this.#damage = null
      })
      .catch((error) => {
        throw unavailable(error)
      })
      .finally(() => {
        this.#making = null
      })
    return this.#making
  }

  /** Null for records that are no answers: they must not keep the answers behind them from being used. */
  async #answerIn(value: Uint8Array): Promise<AnswerRecorded | null> {
    const event = await this.#codec.decodeOwn(value)
    return event?.type === 'AnswerRecorded' ? event : null
  }
}

/** Begins the name of every model and embedder that was behind an endpoint when answers had no `calls` yet. */
const endpointPrefix = 'openai:'

function recordedValue(answer: AnswerRecorded, value: Uint8Array): Omit<RecordedValue, 'offset'> {
  const { key, tenant, space, stage, task, prompt, model, attempts, inputTokens, outputTokens } = answer
  // Earlier versions recorded no calls: an answer from this process counted as one.
  const isOfEndpoint = model.startsWith(endpointPrefix)
  const calls = answer.calls ?? (isOfEndpoint ? attempts : 0)
  const account = { tenant, space, stage: stage ?? '', task, prompt: prompt ?? '', model }
  return { key, value, account, cost: { calls, repairs: repairsOf(answer), inputTokens, outputTokens } }
}

function rebuilding(cause: unknown): LoomlogError {
  return new LoomlogError('index-unavailable', `${completionsFileName} is damaged, and is rebuilt`, { cause })
}

/** On a full disk or a locked file the caller retries: the answers are in the log. */
function unavailable(error: unknown): unknown {
  if (!isSqliteError(error)) return error
  return new LoomlogError('index-unavailable', `${completionsFileName} can't be used: ${error.message}`, {
    cause: error,
  })
}
