/**
 * A recipe holds everything that decides the output of a stage; its hash is the derivation's id. Equal recipes are the
 * same derivation. Any difference makes another one, with its own topics, state and views.
 */
import type { Processor } from '@loomlog/runtime/processor'
import { hash, type Json } from '@loomlog/schemas/ids'
import type { DerivationScope } from './derivation-scope.ts'

export type Recipe = {
  readonly stage: string
  readonly revision: number
  readonly parameters: { readonly [name: string]: number }
  /** Null: every task is answered by rules, which belong to the revision. */
  readonly model: {
    readonly name: string
    readonly parameters: Json
    readonly prompts: { readonly [task: string]: string }
  } | null
  /** The stage embedder's vector space; null: the stage uses no embeddings. */
  readonly embedder: string | null
  readonly scope: DerivationScope
  /** The derivation it reads; null: the source. */
  readonly reads: string | null
}

/** The configurable part of a recipe; the rest follows from the processor. */
export interface RecipeChoices {
  readonly model: { readonly name: string; readonly parameters: Json } | null
  /** The prompts' text by task; used only where there is a model. */
  readonly prompts: ReadonlyMap<string, string>
  readonly embedder: string
  /** Overrides of the processor's own. */
  readonly parameters?: { readonly [name: string]: number }
  /** Default: all. */
  readonly scope?: DerivationScope
}

export function recipeOf(processor: Processor, choices: RecipeChoices, reads: string | null): Recipe {
  const prompts = Object.fromEntries([...choices.prompts].map(([task, text]) => [task, hash(text)]))
  return {
    stage: processor.stage,
    revision: processor.revision,
    parameters: { ...processor.parameters, ...choices.parameters },
    model: choices.model === null ? null : { ...choices.model, prompts },
    embedder: processor.embeds === 'stage-embedder' ? choices.embedder : null,
    scope: choices.scope ?? 'all',
    reads,
  }
}

/** 16 hex digits: short enough for topic names, long enough to avoid collisions. */
export function derivationId(recipe: Recipe): string {
  return hash(recipe).slice(0, 16)
}
