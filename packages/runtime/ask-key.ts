/**
 * The identity of an ask: the hash of everything that decides its answer. Content only, without ids, offsets or boxes,
 * so the same content is the same ask. The answer's schema is part of the question.
 */
import { canonicalJson, hash, hashText, type Json } from '@loomlog/schemas/ids'
import { type Ask, embed } from './step.ts'

/** The model and prompt that all asks of one task share. */
export interface Question {
  readonly model: { readonly name: string; readonly parameters: Json }
  readonly prompt: string
}

export interface AskScope {
  readonly tenant: string
  readonly space: string
  /** 1 for the first try. A retry is a new ask. */
  readonly attempt: number
}

/** The part of a key's text that all asks of a task share. It is long, so callers compute it once. */
export function questionText({ model, prompt }: Question, { schema }: Ask['task']): string {
  return [model.name, model.parameters, prompt, schema].map(canonicalJson).join(',')
}

/** The part of the input that a model gets. Rules get all of it. */
export function modelInput({ task, input }: Ask): Json {
  return task.modelInput === undefined ? input : task.modelInput(input)
}

/**
 * @param question as `questionText` gives it
 * @param asked as `modelInput` gives it
 */
export function askKey(question: string, asked: Json, { tenant, space, attempt }: AskScope): string {
  const suffix = attempt === 1 ? '' : `,${attempt}`
  return hashText(`[${canonicalJson(tenant)},${canonicalJson(space)},${question},${canonicalJson(asked)}${suffix}]`)
}

/**
 * The key of an embedding. The materializer looks vectors up with it before it computes them. `space` is
 * `tenant/space`.
 */
export function embeddingKey(space: string, embedder: string, text: string): string {
  return hash([space, embed.name, embedder, text])
}
