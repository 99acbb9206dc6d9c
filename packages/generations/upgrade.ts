/**
 * Plans the upgrade of a live generation that an older version of loomlog derived. The upgrade starts by itself only if
 * no stage is older than the live one and no model is called for the utterances so far. A model or an embedder that
 * differs from the environment's is no upgrade: one command in another shell must not re-derive a memory.
 */
import type { Processor } from '@loomlog/runtime/processor'
import type { Generation, Generations } from './generations.ts'
import type { GenerationPlan } from './plan.ts'
import type { RecipeChoices } from './recipe.ts'
import { type PlannedChange, planSuccessor, type Successor } from './successor.ts'

export interface Upgrade {
  readonly successor: Successor
  readonly changed: readonly PlannedChange[]
  /** Why the upgrade needs a command, and the command; null: it may start by itself. */
  readonly commandReason: string | null
  /**
   * The first stage that would call a model, with the model: the upgrade then starts by itself only if all answers are
   * recorded. Null: none.
   */
  readonly modelCall: string | null
}

interface Installation {
  /** In the order of the flow. */
  readonly processors: readonly Processor[]
  defaults(processor: Processor): RecipeChoices
  /** Why a part of the plan would be frozen, and the command of another plan; null: it has every embedder. */
  missingEmbedder(plan: GenerationPlan): string | null
}

/** The upgrade of a live generation; null: the installed version derives it. */
export function upgradeOf(
  known: Generations,
  base: Generation,
  { processors, defaults, missingEmbedder }: Installation,
): Upgrade | null {
  const successor = planSuccessor({ known, base, processors, defaults, settings: [], scope: 'all' })
  if (successor.plan.id === base.id) return null
  const changed = successor.stages.filter((stage) => stage.reasons.length > 0)
  return {
    successor,
    changed,
    commandReason: missingEmbedder(successor.plan) ?? withCommand(commandReasonOf(known, base, successor)),
    modelCall: modelCallOf(successor),
  }
}

/** The reason for a command, with the command that starts the successor as it is planned. */
export function withCommand(reason: string | null): string | null {
  return reason === null ? null : `${reason}: loomlog generation start`
}

function commandReasonOf(known: Generations, base: Generation, { plan }: Successor): string | null {
  const lacking = Object.keys(base.derivations).find(
    (stage) => !plan.stages.some(({ processor }) => processor.stage === stage),
  )
  if (lacking !== undefined) return `its stage ${lacking} is not installed (LOOMLOG_EXTENSIONS)`
  let newer = 0
  for (const { processor, recipe } of plan.stages) {
    const revision = known.derivations.get(base.derivations[processor.stage] ?? '')?.recipe.revision ?? 0
    if (recipe.revision < revision) return `${processor.stage} was derived by a newer version of loomlog than this one`
    if (recipe.revision > revision) newer += 1
  }
  return newer === 0 ? 'no revision was raised' : null
}

function modelCallOf({ plan, stages }: Successor): string | null {
  for (const { processor, recipe, derivation } of plan.stages) {
    if (stages.every((stage) => stage.derivation !== derivation || stage.reasons.length === 0)) continue
    const asked = recipe.model?.name ?? (recipe.embedder?.startsWith('openai:') ? recipe.embedder : null)
    if (asked !== null) return `${processor.stage} would ask ${asked}`
  }
  return null
}
