/**
 * What a newer version of loomlog means for a log whose live generation was derived by an older one. It is followed by itself only
 * where that can surprise nobody: no stage is older than what is live, and nobody is asked for what was said so far. A choice (a model, an embedder)
 * that differs from the environment's is no upgrade: one command in a shell that is set up otherwise must not turn a memory around.
 */
import type { Processor } from '@loomlog/runtime/processor'
import type { Generation, Generations } from './generations.ts'
import type { Choices } from './recipe.ts'
import { type PlannedChange, planSuccessor, type Successor } from './successor.ts'

export interface Upgrade {
  readonly successor: Successor
  readonly changed: readonly PlannedChange[]
  /** Why it is never done by itself; null: it may be. */
  readonly onCommand: string | null
  /** The first stage that has somebody to ask, and whom: then it is done by itself only where all answers are recorded. Null: none has. */
  readonly mayAsk: string | null
}

/** Null where what is installed is what is live. */
export function upgradeOf(
  known: Generations,
  base: Generation,
  processors: readonly Processor[],
  defaults: (processor: Processor) => Choices,
): Upgrade | null {
  const successor = planSuccessor({ known, base, processors, defaults, settings: [], scope: 'all' })
  if (successor.plan.id === base.id) return null
  const changed = successor.stages.filter((stage) => stage.reasons.length > 0)
  return { successor, changed, onCommand: whyOnCommand(known, base, successor), mayAsk: mayAsk(successor) }
}

function whyOnCommand(known: Generations, base: Generation, { plan }: Successor): string | null {
  let newer = 0
  for (const { processor, recipe } of plan.stages) {
    const revision = known.derivations.get(base.derivations[processor.stage] ?? '')?.recipe.revision ?? 0
    if (recipe.revision < revision) return `${processor.stage} was derived by a newer version of loomlog than this one`
    if (recipe.revision > revision) newer += 1
  }
  return newer === 0 ? 'no revision was raised' : null
}

function mayAsk({ plan, stages }: Successor): string | null {
  for (const { processor, recipe, derivation } of plan.stages) {
    if (stages.every((stage) => stage.derivation !== derivation || stage.reasons.length === 0)) continue
    const asked = recipe.model?.name ?? (recipe.embedder?.startsWith('openai:') ? recipe.embedder : null)
    if (asked !== null) return `${processor.stage} would ask ${asked}`
  }
  return null
}
