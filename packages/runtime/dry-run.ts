/**
 * Counts the asks of a stage under a new recipe without calling a model. It drives the stage's step over its input,
 * with state in memory. An answer that is recorded for the new recipe is used. Otherwise the ask counts as one to be
 * paid, and gets the previous recipe's answer to the same question, or else the answer of the rules. The outputs feed
 * the next stage's dry run.
 */
import type { AnswerRecorded, SpaceRecord } from '@loomlog/schemas/events'
import { type Json, spaceKey } from '@loomlog/schemas/ids'
import type { CompletionStore } from './answers.ts'
import { type AskScope, askKey, embeddingKey, modelInput, questionText } from './ask-key.ts'
import { drive, type StepEnvironment, statelessEnvironment } from './drive.ts'
import { withEnvelopes } from './envelope.ts'
import { isForwarded } from './input.ts'
import { compareBytewise } from './overlay.ts'
import type { Processor, SequencedEvent } from './processor.ts'
import { answerOf } from './recorded-answer.ts'
import type { Ask } from './step.ts'
import { type Answer, embed, type Parameters } from './step.ts'

/** The model and prompts that answer a recipe's tasks; null: rules. */
export type PromptedModel = {
  readonly model: { readonly name: string; readonly parameters: Json }
  readonly prompts: ReadonlyMap<string, string>
} | null

export interface DryRunOptions {
  readonly processor: Processor
  readonly parameters: Parameters
  readonly derivation: string
  readonly now: PromptedModel
  /** The model and prompts of the previous recipe. */
  readonly before: PromptedModel
  /** The stage embedder's name. */
  readonly embedder: string
  readonly completions: Pick<CompletionStore, 'lookup'>
}

export interface UnpaidAsk {
  readonly task: string
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Estimate for an ask without a recorded answer, and so without a token count. */
const charactersPerToken = 4
/** Estimate for a task without a recorded answer. */
const usualOutputTokens = 80

export class DryRun {
  readonly #options: DryRunOptions
  /** By lane and record: key → value. */
  readonly #state = new Map<string, Map<string, Json>>()
  readonly #recorded = new Set<string>()
  readonly #unpaid = new Map<string, UnpaidAsk>()
  #embeddings = 0

  constructor(options: DryRunOptions) {
    this.#options = options
  }

  /** Distinct asks whose answers are recorded. */
  get recorded(): number {
    return this.#recorded.size
  }

  /** Distinct asks that would be paid for. */
  get unpaid(): readonly UnpaidAsk[] {
    return [...this.#unpaid.values()]
  }

  /** How many asks for an embedding have no recorded vector. */
  get embeddings(): number {
    return this.#embeddings
  }

  /** The records that the next stage gets for this event. */
  async give(event: SequencedEvent<SpaceRecord>): Promise<readonly SpaceRecord[]> {
    const { processor, parameters, derivation } = this.#options
    const forwarded = isForwarded(event, processor.writes) ? [event] : []
    if (!processor.handles.includes(event.type)) return forwarded
    const lane = `${spaceKey(event.tenant, event.space)}\u001f${processor.lane(event)}`
    const asker = { tenant: event.tenant, space: event.space, attempt: 1 }
    const drafts = await drive(processor.step(event, parameters, derivation), this.#environment(lane, asker))
    return [...forwarded, ...withEnvelopes(drafts, event, { stage: processor.stage, derivation })]
  }

  #environment(lane: string, asker: AskScope): StepEnvironment {
    const of = (record: string) => {
      const name = `${lane}\u001f${record}`
      const known = this.#state.get(name) ?? new Map<string, Json>()
      this.#state.set(name, known)
      return known
    }
    return {
      answer: (asks) => Promise.all(asks.map((ask) => this.#answer(ask, asker))),
      isAskedOfModel: (task) => this.#options.now?.prompts.has(task.name) ?? false,
      get: (record, key) => of(record).get(key) ?? null,
      put: (record, key, value) => {
        if (value === null) of(record).delete(key)
        else of(record).set(key, JSON.parse(JSON.stringify(value)) as Json)
      },
      range: (record, prefix, limit) =>
        [...of(record)]
          .filter(([key]) => key.startsWith(prefix))
          .sort(([a], [b]) => compareBytewise(a, b))
          .slice(0, limit),
    }
  }

  async #answer(ask: Ask, asker: AskScope): Promise<Answer<Json>> {
    if (ask.task.name === embed.name) return this.#embedding(ask.input as string, asker)
    const now = this.#keyed(this.#options.now, ask, asker)
    if (now === null) return this.#byRules(ask, asker)
    const found = await this.#options.completions.lookup(now.key)
    if (found !== null) {
      this.#recorded.add(now.key)
      return answerOf(found)
    }
    const before = this.#keyed(this.#options.before, ask, asker)
    const previous = before === null ? null : await this.#options.completions.lookup(before.key)
    this.#unpaid.set(now.key, unpaid(ask, now, previous && before && { ...before, answer: previous }))
    return previous === null ? this.#byRules(ask, asker) : answerOf(previous)
  }

  #keyed(prompted: PromptedModel, ask: Ask, asker: AskScope) {
    const prompt = prompted?.prompts.get(ask.task.name)
    if (prompted === null || prompt === undefined) return null
    const { model } = prompted
    return { key: askKey(questionText({ model, prompt }, ask.task), modelInput(ask), asker), model: model.name, prompt }
  }

  async #byRules(ask: Ask, asker: AskScope): Promise<Answer<Json>> {
    const environment = statelessEnvironment((asks) => Promise.all(asks.map((inner) => this.#answer(inner, asker))))
    const value = await drive(ask.task.local(ask.input, this.#options.parameters), environment)
    return { kind: 'answer', value, by: 'rules', completions: [] }
  }

  async #embedding(text: string, { tenant, space }: AskScope): Promise<Answer<Json>> {
    const key = embeddingKey(spaceKey(tenant, space), this.#options.embedder, text)
    const found = await this.#options.completions.lookup(key)
    if (found !== null) return answerOf(found)
    this.#embeddings += 1
    return {
      kind: 'none',
      reason: 'a dry run embeds nothing',
      value: null,
      by: this.#options.embedder,
      completions: [],
    }
  }
}

interface AskIdentity {
  readonly model: string
  readonly prompt: string
}

function unpaid(
  ask: Ask,
  now: AskIdentity,
  previous: (AskIdentity & { readonly answer: AnswerRecorded }) | null,
): UnpaidAsk {
  const { task } = ask
  if (previous === null) {
    const characters = now.prompt.length + JSON.stringify(modelInput(ask)).length
    const inputTokens = Math.ceil(characters / charactersPerToken)
    return { task: task.name, model: now.model, inputTokens, outputTokens: usualOutputTokens }
  }
  const longer = Math.ceil((now.prompt.length - previous.prompt.length) / charactersPerToken)
  const { inputTokens, outputTokens, attempts } = previous.answer
  return { task: task.name, model: now.model, inputTokens: inputTokens + longer * attempts, outputTokens }
}
