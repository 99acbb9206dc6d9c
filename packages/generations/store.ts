/**
 * Reads and writes the topic `generations`. Appending a definition twice has one effect. A change is appended only if
 * it would take effect. Its writer gets the same result as every reader: it took effect, or an earlier change won.
 */
import { LoomlogError } from '@loomlog/errors'
import { crashPoint } from '@loomlog/log/crash-points'
import type { Log } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { GenerationPromoted, GenerationStatusChanged } from '@loomlog/schemas/events'
import { canonicalJson } from '@loomlog/schemas/ids'
import { applyGenerationEvent, changeRefusal, isGenerationEvent } from './fold.ts'
import { type GenerationEvent, type Generations, noGenerations } from './generations.ts'
import type { GenerationPlan } from './plan.ts'
import { liveGeneration } from './pointers.ts'

const topic = 'generations'

/** @param through the last offset to read; default: the end of the log */
export async function readGenerations(log: Log, codec: Codec, through = Number.MAX_SAFE_INTEGER): Promise<Generations> {
  let known = noGenerations
  for await (const records of log.read({ topic, until: 'end' })) {
    for (const record of records) {
      if (record.offset > through) return known
      const event = await codec.decode(record.value)
      if (isGenerationEvent(event)) known = applyGenerationEvent(known, event)
    }
  }
  return known
}

/** The name of a generation, and its settings. */
export interface GenerationLabels {
  readonly name: string | null
  readonly chosen: { readonly [key: string]: string }
}

const unnamed: GenerationLabels = { name: null, chosen: {} }

/** The events that define a generation, its derivations first. */
export function definitionEvents(
  plan: GenerationPlan,
  { name, chosen }: GenerationLabels = unnamed,
): readonly GenerationEvent[] {
  const derivations = Object.fromEntries(plan.stages.map((stage) => [stage.processor.stage, stage.derivation]))
  const { id, viewEmbedder } = plan
  return [
    ...plan.stages.map(
      ({ derivation, recipe, prompts }): GenerationEvent => ({
        type: 'DerivationDefined',
        id: derivation,
        stage: recipe.stage,
        recipe: canonicalJson(recipe),
        prompts: Object.fromEntries(prompts),
      }),
    ),
    { type: 'GenerationDefined', id, derivations, viewEmbedder, name, chosen, at: Date.now() },
  ]
}

/** Defines the generation without starting it. Idempotent. */
export async function defineGeneration(
  log: Log,
  codec: Codec,
  plan: GenerationPlan,
  naming: GenerationLabels = unnamed,
): Promise<void> {
  const known = await readGenerations(log, codec)
  if (known.generations.has(plan.id)) return
  // One append an event, since prompts may be long. A definition that a crash interrupts is repeated.
  crashPoint('generation.before-define')
  for (const event of definitionEvents(plan, naming)) {
    await appendEvent(log, codec, event)
    if (event.type === 'DerivationDefined') crashPoint('generation.within-define')
  }
  crashPoint('generation.after-define')
}

/** The state after a change. */
export interface ChangedGenerations extends Generations {
  /** After the record of the change, as TOPIC/PARTITION@OFFSET. */
  readonly position: string
}

/** @throws LoomlogError `generation-refused` with the reason: the change is not allowed, or an earlier change won */
export async function changeGenerations(
  log: Log,
  codec: Codec,
  change: GenerationStatusChanged | GenerationPromoted,
): Promise<ChangedGenerations> {
  refuse(changeRefusal(await readGenerations(log, codec), change))
  const what = change.type === 'GenerationPromoted' ? 'promote' : 'change'
  crashPoint(`generation.before-${what}`)
  const offset = await appendEvent(log, codec, change)
  crashPoint(`generation.after-${what}`)
  const known = await readGenerations(log, codec, offset)
  refuse(known.history.at(-1)?.refused ?? null)
  return { ...known, position: `${topic}/0@${offset + 1}` }
}

/**
 * Makes the plan the live generation of a log that has none, unless another process promotes another one first. Returns
 * the state after that.
 */
export async function adoptGeneration(log: Log, codec: Codec, plan: GenerationPlan): Promise<Generations> {
  const known = await readGenerations(log, codec)
  if (liveGeneration(known, null) !== null) return known
  await defineGeneration(log, codec, plan)
  const first = { type: 'GenerationPromoted', generation: plan.id, cause: 'first', at: Date.now() } as const
  try {
    return await changeGenerations(log, codec, { ...first, tenant: null, previous: null })
  } catch (error) {
    const now = await readGenerations(log, codec)
    if (liveGeneration(now, null) === null) throw error
    return now
  }
}

async function appendEvent(log: Log, codec: Codec, event: GenerationEvent): Promise<number> {
  const record = { key: null, partition: 0, value: codec.encode(event), timestamp: Date.now() }
  const [position] = await log.append(topic, [record])
  return position?.offset ?? 0
}

function refuse(reason: string | null): void {
  if (reason !== null) throw new LoomlogError('generation-refused', reason)
}
