/**
 * The identity of an ask: the hash of all that decides its answer. Content only: no id, offset or box goes in, so the same content is
 * the same ask. The shape wanted is part of the question.
 */
import { canonicalJson, hashText, type Json } from '@loomlog/schemas/ids'
import type { Ask } from './step.ts'

/** What the asks of one task have in common. */
export interface Question {
  readonly model: { readonly name: string; readonly parameters: Json }
  readonly prompt: string
}

export interface AskScope {
  readonly tenant: string
  readonly space: string
  /** 1 at first; a retry asks anew. */
  readonly attempt: number
}

/** The part of a key's text that is the same for all of a task's asks; it is long, so whoever asks often keeps it. */
export function questionText({ model, prompt }: Question, { schema }: Ask['task']): string {
  return [model.name, model.parameters, prompt, schema].map(canonicalJson).join(',')
}

/** What a model is asked; rules answer from all of the input. */
export function modelInput({ task, input }: Ask): Json {
  return task.modelInput === undefined ? input : task.modelInput(input)
}

/**
 * @param question as `questionText` gives it
 * @param asked as `modelInput` gives it
 */
export function askKey(question: string, asked: Json, { tenant, space, attempt }: AskScope): string {
  const again = attempt === 1 ? '' : `,${attempt}`
  return hashText(`[${canonicalJson(tenant)},${canonicalJson(space)},${question},${canonicalJson(asked)}${again}]`)
}
