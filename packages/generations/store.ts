/**
 * Which derivations and generations exist, and which one is live: a fold over the topic `generations`. Appending a definition
 * twice has one effect. The last promotion wins.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { DerivationDefined, GenerationDefined, SystemEvent } from '@loomlog/schemas/events'
import { canonicalJson } from '@loomlog/schemas/ids'
import type { GenerationPlan } from './plan.ts'

const topic = 'generations'

export interface Generations {
  readonly derivations: ReadonlyMap<string, DerivationDefined>
  readonly generations: ReadonlyMap<string, GenerationDefined>
  /** Null before the first promotion. */
  readonly live: GenerationDefined | null
}

export async function readGenerations(log: Log, codec: Codec): Promise<Generations> {
  const derivations = new Map<string, DerivationDefined>()
  const generations = new Map<string, GenerationDefined>()
  let live: string | null = null
  for await (const records of log.read({ topic, until: 'end' })) {
    for (const record of records) {
      const event = (await codec.decode(record.value)) as SystemEvent
      if (event.type === 'DerivationDefined') derivations.set(event.id, event)
      if (event.type === 'GenerationDefined') generations.set(event.id, event)
      if (event.type === 'GenerationPromoted') live = event.generation
    }
  }
  return { derivations, generations, live: live === null ? null : (generations.get(live) ?? null) }
}

/**
 * Makes the plan the live generation of a log that has none, and checks that it is the live one otherwise: comparing and
 * promoting another recipe is not built yet, and two recipes must never mix.
 * @throws LoomlogError `recipe-differs`, saying in which stages
 */
export async function adoptGeneration(log: Log, codec: Codec, plan: GenerationPlan): Promise<void> {
  const known = await readGenerations(log, codec)
  if (known.live?.id === plan.id) return
  if (known.live !== null) throw differs(known.live, plan)
  const defined: SystemEvent[] = plan.stages.map(({ derivation, recipe }) => ({
    type: 'DerivationDefined',
    id: derivation,
    stage: recipe.stage,
    recipe: canonicalJson(recipe),
  }))
  const derivations = Object.fromEntries(plan.stages.map((stage) => [stage.processor.stage, stage.derivation]))
  defined.push({ type: 'GenerationDefined', id: plan.id, derivations, viewEmbedder: plan.viewEmbedder })
  const at = Date.now()
  defined.push({ type: 'GenerationPromoted', generation: plan.id, tenant: null, at })
  const records = defined.map((event) => ({ key: null, partition: 0, value: codec.encode(event), timestamp: at }))
  await log.append(topic, records)
}

function differs(live: GenerationDefined, plan: GenerationPlan): LoomlogError {
  const stages = plan.stages
    .filter((stage) => live.derivations[stage.processor.stage] !== stage.derivation)
    .map((stage) => stage.processor.stage)
  const what = stages.length > 0 ? `the recipe of ${stages.join(', ')}` : `the view embedder (${live.viewEmbedder})`
  return new LoomlogError(
    'recipe-differs',
    `this log's live generation ${live.id} was derived with another recipe: ${what} differs. Deriving it again beside the ` +
      'live one, comparing and promoting is not built yet: use the settings it was made with, or another folder.',
  )
}
