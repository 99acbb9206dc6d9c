/**
 * Answers asks. Rules answer directly. A model's answer, and every embedding that a decision depends on, is looked up
 * by the hash of the ask before the model is called, and recorded in `completions` before it is used. Endpoint failures
 * are retried until the lease ends; they never become an answer.
 */
import { LoomlogError } from '@loomlog/errors'
import type { AnswerRecorded } from '@loomlog/schemas/events'
import { hash, type Json, spaceKey } from '@loomlog/schemas/ids'
import { askKey, embeddingKey, modelInput, type Question, questionText } from './ask-key.ts'
import { countedCalls } from './counted-calls.ts'
import { drive, statelessEnvironment } from './drive.ts'
import { type VectorOrNone, vectorOrNone } from './embedding-answer.ts'
import { answerOf } from './recorded-answer.ts'
import { recordedTask } from './repair-asks.ts'
import { type CallWatch, Retry, type RetryListener } from './retry.ts'
import { type Answer, type Ask, embed, type JsonSchema, type Parameters } from './step.ts'
import type { Throttle } from './throttle.ts'
import { unlessAborted } from './unless-aborted.ts'

/** A model's reply to one question: an answer that fits the schema, or the reason why there is none. */
export type ModelReply = {
  readonly attempts: number
  readonly inputTokens: number
  readonly outputTokens: number
} & (
  | { readonly kind: 'answer'; readonly value: Json }
  | { readonly kind: 'none'; readonly reason: string; readonly value: null }
)

interface ModelCaller {
  readonly signal: AbortSignal
  /** `tenant/space`: spaces share the model's in-flight slots fairly. */
  readonly forSpace?: string
  readonly isBackground?: boolean
  /** Runs each request to the endpoint, without its wait for a slot. */
  readonly whileInFlight?: CallWatch
  /** Called when a request is sent to an endpoint. */
  readonly onCall?: () => void
  /** Whether the answer is recorded, with its tokens. */
  readonly isRecorded?: boolean
}

interface ModelRequest extends ModelCaller {
  readonly prompt: string
  readonly input: Json
  readonly schema: JsonSchema
  readonly schemaName: string
}

/** The narrow view of a chat model that the runtime needs. Throws temporary failures as retryable LoomlogErrors. */
export interface Model {
  readonly name: string
  readonly parameters: Json
  answer(request: ModelRequest): Promise<ModelReply>
}

/** The stage embedder: one text at a time, always in the same shape, so that the same text gives the same bits. */
export interface StageEmbedder {
  readonly name: string
  /** Whether it waits for an endpoint. Otherwise it takes the CPU of this process. Default: no. */
  readonly isBehindEndpoint?: boolean
  /** Integers from -127 to 127. */
  embedOne(text: string, caller: ModelCaller): Promise<Int8Array>
}

/** Recorded answers, by key. `record` returns the first one of the key in the log. */
export interface CompletionStore {
  lookup(key: string): Promise<AnswerRecorded | null>
  record(space: string, answer: AnswerRecorded): Promise<AnswerRecorded>
}

/** A prompt's text, by task; a task that is not in it is answered by rules. */
export type Prompts = ReadonlyMap<string, string>

export interface AnswerSources extends RetryListener {
  /** The account that the answers are charged to. */
  readonly stage: string
  readonly model: Model | null
  readonly prompts: Prompts
  readonly embedder: StageEmbedder | null
  readonly parameters: Parameters
  readonly completions: CompletionStore
  readonly throttle: Pick<Throttle, 'isLive' | 'run'>
}

export interface Asker {
  readonly tenant: string
  readonly space: string
  /** 1 for the first try. A retry is a new ask. */
  readonly attempt: number
  readonly signal: AbortSignal
  /** Log time of the last forgetting of the space, up to the asking event; 0: there was none. */
  readonly since: number
}

/** An ask that was issued before its turn. */
export interface AskAhead {
  /** Resolves when the answer is recorded. Its rejection need not be handled. */
  readonly recorded: Promise<unknown>
  /** Drops the answer. Called when the ask's turn is over. */
  release(): void
}

interface AskInFlight {
  readonly answer: Promise<AnswerRecorded>
  readonly signal: AbortSignal
  holders: number
}

/** An ask that is recorded under `key`. */
interface RecordedAsk {
  readonly key: string
  /** Pays for the answer if it is not recorded. */
  pay(): Promise<AnswerRecorded>
}

export class Answers {
  readonly #sources: AnswerSources
  readonly #retry: Retry
  /** By task: the part of a key's text that its asks share. */
  readonly #questions = new Map<Ask['task'], string>()
  /** By prompt: its hash. */
  readonly #promptHashes = new Map<string, string>()
  /** By key: the same ask in another lane waits for the same answer. An ask ahead stays until its release. */
  readonly #inFlight = new Map<string, AskInFlight>()
  /** Answers that this process has recorded again after a forgetting: the index keeps the first record of a key. */
  readonly #renewed = new Set<string>()

  constructor(sources: AnswerSources) {
    this.#sources = sources
    this.#retry = new Retry(sources)
  }

  isAskedOfModel(task: Ask['task']): boolean {
    return this.#sources.model !== null && this.#sources.prompts.has(task.name)
  }

  /** In the order of the asks. @throws the signal's reason as soon as it aborts, even while asks run */
  async answer(asks: readonly Ask[], asker: Asker): Promise<readonly Answer<Json>[]> {
    return unlessAborted(Promise.all(asks.map((ask) => this.#answerOne(ask, asker))), asker.signal)
  }

  /** False: rules answer all tasks. */
  get hasModel(): boolean {
    return this.#sources.model !== null
  }

  /** Issues an ask before its turn; a later `answer` to the same ask joins it. Null: rules answer it. */
  askAhead(ask: Ask, asker: Asker): AskAhead | null {
    const recorded = this.#recordedAsk(ask, asker)
    if (recorded === null) return null
    const inFlight = this.#join(recorded, asker)
    const settled = unlessAborted(inFlight.answer, asker.signal)
    settled.catch(() => {})
    return { recorded: settled, release: () => this.#leave(recorded.key, inFlight) }
  }

  async #answerOne(ask: Ask, asker: Asker): Promise<Answer<Json>> {
    const recordedAsk = this.#recordedAsk(ask, asker)
    if (recordedAsk === null) return this.#byRules(ask, asker)
    return answerOf(await this.#recorded(recordedAsk, asker))
  }

  /** Null: rules answer it, and nothing is recorded. */
  #recordedAsk(ask: Ask, asker: Asker): RecordedAsk | null {
    if (ask.task.name === embed.name) return this.#embedding(ask.input as string, asker)
    const prompt = this.#sources.prompts.get(ask.task.name)
    const { model } = this.#sources
    if (model === null || prompt === undefined) return null
    const asked = modelInput(ask)
    const key = this.#askKey({ model, prompt }, { task: ask.task, asked }, asker)
    const pay = async () => {
      const counted = countedCalls()
      const request = {
        prompt,
        input: asked,
        schema: ask.task.schema,
        schemaName: ask.task.name,
        ...this.#caller(asker),
        onCall: counted.onCall,
      }
      const completion = await this.#retry.untilAvailable(asker.signal, (whileInFlight) =>
        model.answer({ ...request, whileInFlight }),
      )
      return {
        ...this.#blank({ key, task: recordedTask(ask), by: model.name }, asker),
        attempts: completion.attempts,
        inputTokens: completion.inputTokens,
        outputTokens: completion.outputTokens,
        calls: counted.calls,
        prompt: this.#promptHash(prompt),
        none: completion.kind === 'none' ? completion.reason : null,
        answer: completion.kind === 'answer' ? JSON.stringify(completion.value) : null,
      }
    }
    return { key, pay }
  }

  #askKey(of: Question, { task, asked }: { readonly task: Ask['task']; readonly asked: Json }, asker: Asker): string {
    const known = this.#questions.get(task)
    const question = known ?? questionText(of, task)
    if (known === undefined) this.#questions.set(task, question)
    return askKey(question, asked, asker)
  }

  async #byRules(ask: Ask, asker: Asker): Promise<Answer<Json>> {
    const completions = new Set<string>()
    const environment = statelessEnvironment(async (inner) => {
      const answers = await this.answer(inner, asker)
      for (const key of answers.flatMap((answer) => answer.completions)) completions.add(key)
      return answers
    })
    const run = <T>(part: () => T) => this.#sources.throttle.run(part, asker.signal)
    const value = await drive(ask.task.local(ask.input, this.#sources.parameters), environment, run)
    return { kind: 'answer', value, by: 'rules', completions: [...completions] }
  }

  #embedding(text: string, asker: Asker): RecordedAsk {
    const { embedder } = this.#sources
    if (embedder === null)
      throw new LoomlogError('config-invalid', 'a step asked for an embedding, and its stage has no embedder')
    const key = embeddingKey(spaceKey(asker.tenant, asker.space), embedder.name, text)
    const pay = async () => {
      const counted = countedCalls()
      const caller = { ...this.#caller(asker), onCall: counted.onCall }
      const found = await this.#retry.untilAvailable(asker.signal, (whileInFlight) =>
        this.#embedOne(embedder, text, { ...caller, whileInFlight }),
      )
      return { ...this.#blank({ key, task: embed.name, by: embedder.name }, asker), ...found, calls: counted.calls }
    }
    return { key, pay }
  }

  /** A wait for an endpoint holds no slot of the throttle. */
  async #embedOne(embedder: StageEmbedder, text: string, caller: ModelCaller): Promise<VectorOrNone> {
    const embedding = () => vectorOrNone(embedder.embedOne(text, caller))
    return embedder.isBehindEndpoint ? embedding() : this.#sources.throttle.run(embedding, caller.signal)
  }

  #caller({ tenant, space, signal }: Asker): ModelCaller {
    const isBackground = !this.#sources.throttle.isLive
    return { signal, forSpace: spaceKey(tenant, space), isBackground, isRecorded: true }
  }

  #promptHash(prompt: string): string {
    const known = this.#promptHashes.get(prompt) ?? hash(prompt)
    this.#promptHashes.set(prompt, known)
    return known
  }

  #blank(of: { readonly key: string; readonly task: string; readonly by: string }, asker: Asker): AnswerRecorded {
    const { key, task, by } = of
    const { tenant, space } = asker
    const own = { key, tenant, space, task, model: by, stage: this.#sources.stage }
    const empty = { answer: null, vector: null, none: null, prompt: null, keyId: null }
    const counts = { attempts: 1, calls: 0, inputTokens: 0, outputTokens: 0 }
    return { type: 'AnswerRecorded', ...own, ...empty, ...counts, since: asker.since }
  }

  async #recorded(ask: RecordedAsk, asker: Asker): Promise<AnswerRecorded> {
    const inFlight = this.#join(ask, asker)
    try {
      return await inFlight.answer
    } finally {
      this.#leave(ask.key, inFlight)
    }
  }

  /** Null also for an ask whose lease has ended: the next owner must not wait for it. */
  #joinable(key: string): AskInFlight | null {
    const inFlight = this.#inFlight.get(key)
    return inFlight && !inFlight.signal.aborted ? inFlight : null
  }

  #join(ask: RecordedAsk, asker: Asker): AskInFlight {
    const known = this.#joinable(ask.key)
    const inFlight = known ?? { answer: this.#lookupOrPay(ask, asker), signal: asker.signal, holders: 0 }
    inFlight.holders += 1
    if (known === null) this.#inFlight.set(ask.key, inFlight)
    return inFlight
  }

  #leave(key: string, inFlight: AskInFlight): void {
    inFlight.holders -= 1
    if (inFlight.holders === 0 && this.#inFlight.get(key) === inFlight) this.#inFlight.delete(key)
  }

  async #lookupOrPay({ key, pay }: RecordedAsk, asker: Asker): Promise<AnswerRecorded> {
    const { completions } = this.#sources
    const space = spaceKey(asker.tenant, asker.space)
    const known = await completions.lookup(key)
    if (known === null) return completions.record(space, await pay())
    const renewal = `${asker.since} ${key}`
    if (known.since >= asker.since || this.#renewed.has(renewal)) return known
    // The answers from before a forgetting are destroyed after it. This one is used again, and is not paid for twice.
    await completions.record(space, { ...known, since: asker.since })
    this.#renewed.add(renewal)
    return known
  }
}
