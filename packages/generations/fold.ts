/**
 * A pure fold over the topic `generations`: derivations, generations with their status, and the live generation of each
 * tenant.
 *
 * Invariants: writers only append. An event takes effect only if the state that its writer saw still holds, so the
 * first of several concurrent writers wins, for every reader alike. A refused event stays in the history with its
 * reason. A tenant has one live generation at a time; each change of it has a higher epoch.
 */
import type {
  DerivationDefined,
  GenerationDefined,
  GenerationPromoted,
  GenerationStatusChanged,
  LogEvent,
} from '@loomlog/schemas/events'
import type { Generation, GenerationEvent, Generations } from './generations.ts'
import { promotionRefusal, withPromotion } from './pointers.ts'
import type { Recipe } from './recipe.ts'
import { statusRefusal } from './transitions.ts'

export function isGenerationEvent(event: LogEvent): event is GenerationEvent {
  return (
    event.type === 'DerivationDefined' ||
    event.type === 'GenerationDefined' ||
    event.type === 'GenerationStatusChanged' ||
    event.type === 'GenerationPromoted'
  )
}

export function applyGenerationEvent(known: Generations, event: GenerationEvent): Generations {
  switch (event.type) {
    case 'DerivationDefined':
      return withDerivation(known, event)
    case 'GenerationDefined':
      return withGeneration(known, event)
    default: {
      const refused = changeRefusal(known, event)
      const history = [...known.history, { event, refused }]
      if (refused !== null) return { ...known, history }
      const next = event.type === 'GenerationPromoted' ? withPromotion(known, event) : withStatus(known, event)
      return { ...next, history }
    }
  }
}

/** Why the event would be refused now; null: it would take effect. */
export function changeRefusal(known: Generations, event: GenerationStatusChanged | GenerationPromoted): string | null {
  return event.type === 'GenerationPromoted' ? promotionRefusal(known, event) : statusRefusal(known, event)
}

/** Defining a second time changes nothing. */
function withDerivation(known: Generations, { id, stage, recipe, prompts }: DerivationDefined): Generations {
  if (known.derivations.has(id)) return known
  const derivation = { id, stage, recipe: JSON.parse(recipe) as Recipe, prompts: new Map(Object.entries(prompts)) }
  return { ...known, derivations: new Map(known.derivations).set(id, derivation) }
}

function withGeneration(known: Generations, event: GenerationDefined): Generations {
  if (known.generations.has(event.id)) return known
  const { id, derivations, viewEmbedder, name, chosen, at } = event
  const defined = { id, derivations, viewEmbedder, name, chosen, definedAt: at }
  const generation: Generation = { ...defined, status: 'defined', startedAt: null, share: null }
  return { ...known, generations: new Map(known.generations).set(id, generation) }
}

function withStatus(known: Generations, event: GenerationStatusChanged): Generations {
  const before = known.generations.get(event.generation)
  if (!before) return known
  const starts = event.status === 'running' && before.status !== 'paused'
  const after: Generation = {
    ...before,
    status: event.status,
    startedAt: starts ? event.at : before.startedAt,
    share: event.share ?? before.share,
  }
  return { ...known, generations: new Map(known.generations).set(after.id, after) }
}
