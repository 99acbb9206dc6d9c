/**
 * Plans the successor of a generation from the installed processors, the base's settings and the new settings. Pure. A
 * stage with an unchanged recipe is reused with its derivation, in any scope. A changed stage, and every stage after
 * it, gets a new derivation over the requested spaces.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Processor } from '@loomlog/runtime/processor'
import { canonicalJson } from '@loomlog/schemas/ids'
import { type DerivationScope, formatScope } from './derivation-scope.ts'
import type { Derivation, Generation, Generations } from './generations.ts'
import { type GenerationPlan, planGeneration } from './plan.ts'
import { derivationId, type Recipe, type RecipeChoices, recipeOf } from './recipe.ts'
import { promptKey, type Setting, settingEntry } from './settings.ts'

export interface SuccessorOptions {
  readonly known: Generations
  readonly base: Generation
  /** In the order of the flow. */
  readonly processors: readonly Processor[]
  /** This process's own choices, with the installed prompts. */
  defaults(processor: Processor): RecipeChoices
  readonly settings: readonly Setting[]
  /** The spaces of the changed derivations. */
  readonly scope: DerivationScope
}

export interface PlannedChange {
  readonly stage: string
  readonly derivation: string
  /** Null: the stage is new. */
  readonly before: string | null
  /** Readable differences; empty: the derivation is reused. */
  readonly reasons: readonly string[]
}

export interface Successor {
  readonly plan: GenerationPlan
  /** The settings to record with the generation. */
  readonly chosen: { readonly [key: string]: string }
  readonly stages: readonly PlannedChange[]
  /** Null: the same as before. */
  readonly viewEmbedder: { readonly before: string; readonly after: string } | null
}

/** @throws LoomlogError `input-invalid` */
export function planSuccessor(options: SuccessorOptions): Successor {
  const { known, base, processors, settings } = options
  refusePromptsOfRules(options)
  const before = (stage: string) => known.derivations.get(base.derivations[stage] ?? '')
  const wanted = settings.findLast((setting) => setting.kind === 'view-embedder')?.vectorSpace
  const viewEmbedder = wanted ?? base.viewEmbedder
  const plan = planGeneration(
    processors,
    (processor, reads) => {
      const derivation = before(processor.stage)
      const choices = choicesOf(processor, derivation, options)
      const same = { ...choices, scope: derivation?.recipe.scope ?? 'all' }
      return derivation && derivationId(recipeOf(processor, same, reads)) === derivation.id
        ? same
        : { ...choices, scope: options.scope }
    },
    viewEmbedder,
  )
  refuseSeveralScopes(plan)
  return {
    plan,
    chosen: { ...base.chosen, ...Object.fromEntries(settings.map(settingEntry)) },
    stages: plan.stages.map(({ processor, derivation, recipe }) => {
      const old = before(processor.stage)
      const reasons =
        old === undefined ? ['the stage is new'] : old.id === derivation ? [] : differences(old.recipe, recipe)
      return { stage: processor.stage, derivation, before: old?.id ?? null, reasons }
    }),
    viewEmbedder: viewEmbedder === base.viewEmbedder ? null : { before: base.viewEmbedder, after: viewEmbedder },
  }
}

/**
 * @throws LoomlogError `input-invalid`: stages of different spaces would have no input in some, and yet be promoted for
 * them
 */
function refuseSeveralScopes({ stages }: GenerationPlan): void {
  const partial = stages.filter(({ recipe }) => recipe.scope !== 'all')
  const [first] = partial
  const other = partial.find(({ recipe }) => canonicalJson(recipe.scope) !== canonicalJson(first?.recipe.scope ?? null))
  if (!first || !other) return
  const [one, two] = [first, other].map(({ recipe }) => `${recipe.stage} covers ${formatScope(recipe.scope)}`)
  const advice = 'request the spaces of the base generation, or start from a generation of all spaces'
  throw new LoomlogError(
    'input-invalid',
    `a generation covers the same spaces in every stage: ${one}, and ${two}: ${advice}`,
  )
}

function choicesOf(processor: Processor, before: Derivation | undefined, options: SuccessorOptions): RecipeChoices {
  const { stage } = processor
  const { chosen } = options.base
  const installed = options.defaults(processor)
  const settings = options.settings.filter((setting) => 'stage' in setting && setting.stage === stage)
  const prompts = new Map(installed.prompts)
  for (const [task, text] of before?.prompts ?? []) {
    if (prompts.has(task) && chosen[promptKey(stage, task)] !== undefined) prompts.set(task, text)
  }
  const parameters = parametersChosen(processor, chosen)
  let model = keepsModel(processor, chosen) && before !== undefined ? chatModelOf(before.recipe) : installed.model
  let embedder = before?.recipe.embedder ?? installed.embedder
  for (const setting of settings) {
    if (setting.kind === 'prompt') prompts.set(setting.task, setting.text)
    if (setting.kind === 'parameter') parameters[setting.parameter] = setting.value
    if (setting.kind === 'model') model = setting.model === null ? null : { name: setting.model, parameters: {} }
    if (setting.kind === 'embedder') embedder = setting.vectorSpace
  }
  return { model, prompts, embedder, parameters }
}

/** A stage that rules answer by default keeps a model only if a recipe named it. */
function keepsModel({ stage, model }: Processor, chosen: Generation['chosen']): boolean {
  return model !== 'if-named' || chosen[`${stage}.model`] !== undefined
}

/** @throws LoomlogError `input-invalid`: such a prompt would change nothing */
function refusePromptsOfRules(options: SuccessorOptions): void {
  for (const processor of options.processors) {
    const { stage } = processor
    const prompt = options.settings.find((setting) => setting.kind === 'prompt' && setting.stage === stage)
    const before = options.known.derivations.get(options.base.derivations[stage] ?? '')
    if (!prompt || choicesOf(processor, before, options).model !== null) continue
    const why = `${stage} is answered by rules, which read no prompt: set ${stage}.model=NAME as well`
    throw new LoomlogError('input-invalid', `--set ${stage}.prompt: ${why}`)
  }
}

function parametersChosen({ stage, parameters }: Processor, chosen: Generation['chosen']): { [name: string]: number } {
  const kept = Object.keys(parameters).filter((name) => chosen[`${stage}.${name}`] !== undefined)
  return Object.fromEntries(kept.map((name) => [name, Number(chosen[`${stage}.${name}`])]))
}

function chatModelOf({ model }: Recipe): RecipeChoices['model'] {
  return model === null ? null : { name: model.name, parameters: model.parameters }
}

/** Readable differences of two recipes of a stage. */
function differences(before: Recipe, after: Recipe): readonly string[] {
  const found: string[] = []
  const named = (what: string, one: string | number | null, other: string | number | null) => {
    if (one !== other) found.push(`${what} ${one ?? 'none'} → ${other ?? 'none'}`)
  }
  named('revision', before.revision, after.revision)
  named('model', before.model?.name ?? 'rules', after.model?.name ?? 'rules')
  for (const name of new Set([...Object.keys(before.parameters), ...Object.keys(after.parameters)])) {
    named(name, before.parameters[name] ?? null, after.parameters[name] ?? null)
  }
  for (const task of Object.keys({ ...before.model?.prompts, ...after.model?.prompts })) {
    const changed = before.model?.prompts[task] !== after.model?.prompts[task]
    if (changed && before.model && after.model) found.push(`the prompt of ${task}`)
  }
  if (
    canonicalJson(before.model?.parameters ?? null) !== canonicalJson(after.model?.parameters ?? null) &&
    before.model &&
    after.model
  ) {
    found.push('the parameters of the model')
  }
  named('embedder', before.embedder, after.embedder)
  if (canonicalJson(before.scope) !== canonicalJson(after.scope)) found.push('other spaces')
  if (before.reads !== after.reads) found.push('its input derivation')
  return found
}
