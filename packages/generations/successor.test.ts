import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import type { Processor } from '@loomlog/runtime/processor'
import { canonicalJson } from '@loomlog/schemas/ids'
import { topicSpec } from '@loomlog/topics/catalogue'
import type { DerivationScope } from './derivation-scope.ts'
import { applyGenerationEvent } from './fold.ts'
import { type GenerationEvent, type Generations, noGenerations } from './generations.ts'
import { type GenerationPlan, planGeneration } from './plan.ts'
import type { RecipeChoices } from './recipe.ts'
import { type Setting, settingsFrom } from './settings.ts'
import { planSuccessor } from './successor.ts'
import { upgradeOf } from './upgrade.ts'

const task = (name: string, required: readonly string[]) => {
  const local = () => {
    throw new Error('nobody asks here')
  }
  return { name, prompt: `${name}.v1`, schema: { type: 'object', required }, local }
}

function stage(fields: Partial<Processor>): Processor {
  return {
    stage: 'loom',
    reads: topicSpec('utterances'),
    writes: topicSpec('topic-shifts'),
    handles: [],
    prompts: new URL('file:///'),
    revision: 1,
    parameters: { gapMs: 1_000 },
    embeds: 'stage-embedder',
    retry: 'never',
    counts: { maxLines: [1, 512] },
    tasks: [task('classify', ['label']), task('describe', ['topic', 'keywords'])],
    lane: () => '',
    step() {
      throw new Error('nobody takes a step here')
    },
    ...fields,
  }
}

const loom = stage({})
const weaver = stage({
  stage: 'weaver',
  reads: topicSpec('topic-shifts'),
  writes: topicSpec('event-links'),
  embeds: 'nothing',
})
const facts = { ...weaver, stage: 'facts', writes: topicSpec('facts'), tasks: [task('extract', ['facts'])] } as const
const flow: readonly Processor[] = [loom, facts, weaver]

const choices =
  (model: string | null) =>
  ({ tasks }: Processor): RecipeChoices => ({
    model: model === null ? null : { name: model, parameters: {} },
    prompts: new Map(tasks.map(({ name }) => [name, `the installed prompt of ${name}`])),
    embedder: 'toy-4',
  })

/** The state of a log in which the plan is live. */
function live(plan: GenerationPlan, chosen: { readonly [key: string]: string } = {}): Generations {
  const events: GenerationEvent[] = plan.stages.map(({ derivation: id, recipe, prompts }) => ({
    type: 'DerivationDefined',
    id,
    stage: recipe.stage,
    recipe: canonicalJson(recipe),
    prompts: Object.fromEntries(prompts),
  }))
  const derivations = Object.fromEntries(plan.stages.map(({ recipe, derivation }) => [recipe.stage, derivation]))
  const { id, viewEmbedder } = plan
  events.push({ type: 'GenerationDefined', id, derivations, viewEmbedder, name: null, chosen, at: 0 })
  events.push({ type: 'GenerationPromoted', generation: id, tenant: null, previous: null, cause: 'first', at: 0 })
  return events.reduce(applyGenerationEvent, noGenerations)
}

const files: { readonly [file: string]: string } = {
  'classify.v2.md': '---\ntask: classify\nversion: 2\n---\n\nSay the label.',
  'mine.md': 'Name topic and keywords.',
  'bad.md': 'Say something.',
}
const settings = (...texts: readonly string[]): Setting[] =>
  texts.flatMap((text) => settingsFrom(text, flow, (file) => files[file] ?? 'facts'))

function follow(
  known: Generations,
  set: readonly Setting[],
  more: { scope?: DerivationScope; processors?: readonly Processor[] } = {},
) {
  const base = known.generations.values().next().value
  if (!base) throw new Error('nothing is live')
  const { scope = 'all', processors = flow } = more
  return planSuccessor({ known, base, processors, defaults: choices('other'), settings: set, scope })
}
const changed = ({ stages }: ReturnType<typeof planSuccessor>) =>
  stages.filter(({ reasons }) => reasons.length > 0).map(({ stage: name, reasons }) => `${name}: ${reasons.join(', ')}`)

const known = live(planGeneration(flow, choices('openai:small'), 'toy-4'))

test('a setting changes its stage and the stages after it, and the others are reused', () => {
  const changes = (...texts: readonly string[]) => changed(follow(known, settings(...texts)))
  const after = ['facts: its input derivation', 'weaver: its input derivation']
  assert.deepEqual(changes(), [])
  assert.deepEqual(changes('loom.gapMs=5'), ['loom: gapMs 1000 → 5', ...after])
  assert.deepEqual(changes('loom.prompt=classify.v2.md'), ['loom: the prompt of classify', ...after])
  assert.deepEqual(changes('weaver.model=large'), ['weaver: model openai:small → openai:large'])
  assert.deepEqual(changes('weaver.model=rules'), ['weaver: model openai:small → rules'])
  assert.deepEqual(changes('facts.prompt=any.md'), ['facts: the prompt of extract'])
  assert.deepEqual(changes('embedder=toy-8'), ['loom: embedder toy-4 → toy-8', ...after])
  assert.equal(changes('model=large').length, 3)
})

test('another view embedder changes no stage', () => {
  const successor = follow(known, settings('view-embedder=toy-8'))
  assert.deepEqual([changed(successor), successor.viewEmbedder], [[], { before: 'toy-4', after: 'toy-8' }])
  assert.notEqual(successor.plan.id, follow(known, []).plan.id)
})

test('a scope applies to changed stages; reused stages keep their derivations', () => {
  const { plan, stages } = follow(known, settings('weaver.gapMs=5'), { scope: { tenant: 't' } })
  assert.deepEqual(
    plan.stages.map(({ recipe }) => recipe.scope),
    ['all', 'all', { tenant: 't' }],
  )
  assert.deepEqual(stages.at(-1)?.reasons, ['gapMs 1000 → 5', 'other spaces'])
  assert.equal(follow(known, [], { scope: { tenant: 't' } }).plan.id, follow(known, []).plan.id)
})

test('a successor of a generation of some spaces covers the same spaces, or all in its changed stages', () => {
  const { plan, chosen } = follow(known, settings('facts.gapMs=5'), { scope: { tenant: 'a' } })
  const ofTenant = live(plan, chosen)
  const next = settings('weaver.gapMs=7')
  for (const scope of ['all', { tenant: 'a' }] as const)
    assert.equal(follow(ofTenant, next, { scope }).plan.stages.length, 3)
  for (const scope of [{ tenant: 'b' }, { spaces: ['a/x'] }, { share: 0.5, seed: 1 }])
    assert.throws(
      () => follow(ofTenant, next, { scope }),
      (error) =>
        isLoomlogError(error, 'input-invalid') &&
        /facts covers tenant a, and weaver covers .*: request the spaces of the base generation/.test(error.message),
    )
})

test('rules answer a stage that no recipe names a model for, also after an upgrade; a named model stays', () => {
  const [onlyNamed] = [{ ...loom, model: 'if-named' } as const]
  const named = [onlyNamed, facts, weaver]
  const defaults = (processor: Processor) => choices(processor.model === 'if-named' ? null : 'm')(processor)
  const asked = (known: Generations, of: readonly Setting[]) => {
    const base = known.generations.get([...known.generations.keys()].at(-1) ?? '')
    assert.ok(base)
    const made = planSuccessor({ known, base, processors: named, defaults, settings: of, scope: 'all' })
    return { made, models: made.plan.stages.map(({ recipe }) => recipe.model?.name ?? 'rules') }
  }
  const before = live(planGeneration(flow, choices('m'), 'toy-4'))
  assert.deepEqual(asked(before, []).models, ['rules', 'm', 'm'])
  const other = settingsFrom('model=other', named, () => '')
  assert.deepEqual(asked(before, other).models, ['rules', 'openai:other', 'openai:other'])
  const { made, models } = asked(before, settings('loom.model=own'))
  assert.deepEqual(models, ['openai:own', 'm', 'm'])
  assert.deepEqual(asked(live(made.plan, made.chosen), []).models, ['openai:own', 'm', 'm'])
})

test('a successor keeps the chosen settings, and takes everything else from the installed version', () => {
  const first = follow(known, settings('loom.gapMs=5', 'loom.prompt.describe=mine.md'))
  const second = live(first.plan, first.chosen)
  assert.deepEqual(changed(follow(second, [])), [])
  const newer = [stage({ revision: 2, parameters: { gapMs: 2_000, window: 2 } }), facts, weaver]
  const [upgraded] = follow(second, [], { processors: newer }).plan.stages
  assert.deepEqual(
    [upgraded?.recipe.parameters, upgraded?.recipe.model?.name],
    [{ gapMs: 5, window: 2 }, 'openai:small'],
  )
  assert.equal(upgraded?.prompts.get('describe'), 'Name topic and keywords.')
  assert.equal(upgraded?.prompts.get('classify'), 'the installed prompt of classify')
})

test('a misspelt or impossible setting is refused with the expected ones', () => {
  const refused = (text: string, message: RegExp) =>
    assert.throws(
      () => follow(known, settings(text)),
      (error) => isLoomlogError(error, 'input-invalid') && message.test(error.message),
      text,
    )
  refused('lom.gapMs=5', /no stage lom: expected loom, facts, weaver/)
  refused('loom.gap=5', /loom has no gap: expected model, prompt, embedder, gapMs/)
  refused('weaver.embedder=x', /weaver has no embedder/)
  refused('loom.gapMs=soon', /gapMs is soon: expected a number from 0/)
  const counting = [stage({ parameters: { maxLines: 16, share: 0.5 } })]
  const set = (text: string) => settingsFrom(text, counting, () => '')
  for (const value of ['0', '2.5', '513', 'Infinity', 'few'])
    assert.throws(() => set(`loom.maxLines=${value}`), /maxLines is .*: expected a whole number from 1 to 512/)
  for (const value of ['-1', 'Infinity'])
    assert.throws(() => set(`loom.share=${value}`), /share is .*: expected a number/)
  assert.equal([...set('loom.maxLines=512'), ...set('loom.share=0.1')].length, 2)
  refused('loom.gapMs', /expected KEY=VALUE/)
  refused('loom.prompt=mine.md', /expected loom.prompt.classify or loom.prompt.describe/)
  refused('loom.prompt.classify=bad.md', /does not name label/)
  refused('loom.prompt.describe=bad.md', /topic, keywords/)
})

test('a prompt for a stage that rules answer would change nothing, and is refused', () => {
  const byRules = live(planGeneration(flow, choices(null), 'toy-4'))
  assert.throws(() => follow(byRules, settings('loom.prompt=classify.v2.md')), /loom is answered by rules/)
  const asked = follow(byRules, settings('loom.prompt=classify.v2.md', 'loom.model=large'))
  assert.equal(asked.plan.stages[0]?.prompts.get('classify'), 'Say the label.')
})

test('an upgrade starts by itself only if no stage is older, and names the model that it might call', () => {
  const byRules = live(planGeneration(flow, choices(null), 'toy-4'))
  const missingEmbedder = () => null
  const of = (from: Generations, ...processors: readonly Processor[]) => {
    const base = from.generations.values().next().value
    return base && upgradeOf(from, base, { processors, defaults: choices('other'), missingEmbedder })
  }
  assert.equal(of(byRules, ...flow), null)
  const newer = [stage({ revision: 2 }), facts, weaver]
  assert.deepEqual([of(byRules, ...newer)?.commandReason, of(byRules, ...newer)?.modelCall], [null, null])
  assert.deepEqual(
    of(byRules, ...newer)?.changed.map(({ reasons }) => reasons.join()),
    ['revision 1 → 2', 'its input derivation', 'its input derivation'],
  )
  assert.equal(of(known, ...newer)?.commandReason, null)
  assert.match(of(known, ...newer)?.modelCall ?? '', /loom would ask openai:small/)
  assert.match(
    of(byRules, stage({ parameters: { gapMs: 7 } }), facts, weaver)?.commandReason ?? '',
    /no revision was raised/,
  )
  const upgraded = live(planGeneration(newer, choices(null), 'toy-4'))
  assert.match(of(upgraded, ...flow)?.commandReason ?? '', /loom was derived by a newer version/)
})
