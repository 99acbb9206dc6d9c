/** The parts of a generation that this process has no embedder for. Each reason ends with the way out. */
import type { Recipe } from '@loomlog/generations/recipe'
import type { Host } from './open.ts'

type Embedding = Pick<Host, 'embedders'>

/** A generation, or the plan of one. */
export interface EmbeddingParts {
  readonly stages: readonly { readonly recipe: Recipe }[]
  readonly viewEmbedder: string
}

/** Why the first stage, or else the views, would be frozen in this process; null: it has every embedder. */
export function missingEmbedderReason(host: Embedding, { stages, viewEmbedder }: EmbeddingParts): string | null {
  const reasons = stages.map(({ recipe }) => frozenStageReason(host, recipe))
  return reasons.find((reason) => reason !== null) ?? frozenViewReason(host, viewEmbedder)
}

/** Why this process can't embed for a stage; null: it can, or the stage embeds nothing. */
export function frozenStageReason({ embedders }: Embedding, { stage, embedder }: Recipe): string | null {
  const missing = embedder === null ? null : embedders.missingReason(embedder)
  return missing === null ? null : `${stage} is derived with ${missing}`
}

/** Why this process can't keep the views of a generation; null: it can. */
export function frozenViewReason({ embedders }: Embedding, viewEmbedder: string): string | null {
  const missing = embedders.missingReason(viewEmbedder)
  return missing === null ? null : `the views are made with ${missing}`
}
