import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Processor } from '@loomlog/runtime/processor'
import { topicSpec } from '@loomlog/topics/catalogue'
import { planGeneration } from './plan.ts'
import { derivationId, type RecipeChoices, recipeOf } from './recipe.ts'

const stage = (fields: Partial<Processor> = {}): Processor => ({
  stage: 'loom',
  reads: topicSpec('utterances'),
  writes: topicSpec('topic-shifts'),
  handles: ['UtteranceAppended'],
  revision: 1,
  parameters: { gapMs: 1_000, boxUtterances: 10 },
  tasks: [],
  prompts: new URL('file:///prompts/'),
  embeds: 'stage-embedder',
  lane: () => '',
  retry: 'never',
  step() {
    throw new Error('nobody takes a step here')
  },
  ...fields,
})

const model = { name: 'small', parameters: { temperature: 0 } }
const prompts = new Map([
  ['classify', 'Is it a shift?'],
  ['describe', 'What is it about?'],
])
const choices = (fields: Partial<RecipeChoices> = {}): RecipeChoices => ({
  model,
  prompts,
  embedder: 'toy-4',
  ...fields,
})

function id(of: { stage?: Partial<Processor>; choices?: Partial<RecipeChoices>; reads?: string | null } = {}): string {
  return derivationId(recipeOf(stage(of.stage), choices(of.choices), of.reads ?? null))
}

test('a change of any part of a recipe makes another derivation', () => {
  const ids = [
    id(),
    id({ stage: { stage: 'other' } }),
    id({ stage: { revision: 2 } }),
    id({ stage: { parameters: { gapMs: 1_001, boxUtterances: 10 } } }),
    id({ stage: { parameters: { gapMs: 1_000, boxUtterances: 10, more: 0 } } }),
    id({ choices: { model: null } }),
    id({ choices: { model: { ...model, name: 'large' } } }),
    id({ choices: { model: { ...model, parameters: { temperature: 1 } } } }),
    id({ choices: { prompts: new Map([...prompts, ['classify', 'Is it a shift? ']]) } }),
    id({ choices: { prompts: new Map([['classify', 'Is it a shift?']]) } }),
    id({ choices: { embedder: 'toy-8' } }),
    id({ stage: { embeds: 'nothing' } }),
    id({ reads: 'upstream' }),
    id({ reads: 'another' }),
  ]
  assert.equal(new Set(ids).size, ids.length)
})

test('a recipe ignores order, folders, topics, lanes, prompts without a model, and an unused embedder', () => {
  assert.equal(id({ stage: { parameters: { boxUtterances: 10, gapMs: 1_000 } } }), id())
  assert.equal(id({ choices: { prompts: new Map([...prompts].toReversed()) } }), id())
  const around = { prompts: new URL('file:///moved/'), lane: () => 'x', retry: 'again', handles: [] } as const
  assert.equal(id({ stage: around }), id())
  const byRules = { model: null, prompts: new Map([['classify', 'Anything']]) }
  assert.equal(id({ choices: byRules }), id({ choices: { model: null } }))
  const blind = { embeds: 'nothing' } as const
  assert.equal(id({ stage: blind, choices: { embedder: 'toy-8' } }), id({ stage: blind }))
})

const flow = [
  stage(),
  stage({ stage: 'facts', reads: topicSpec('topic-shifts'), writes: topicSpec('facts'), embeds: 'nothing' }),
]

test('a change upstream makes another derivation downstream, and one downstream leaves upstream as it is', () => {
  const derivations = (of: readonly Processor[]) =>
    planGeneration(of, () => choices(), 'toy-4').stages.map((planned) => planned.derivation)
  const [loom, facts] = derivations(flow)
  const [changedLoom, changedFacts] = derivations([stage({ revision: 2 }), flow[1] as Processor])
  assert.ok(loom !== changedLoom && facts !== changedFacts)
  const [sameLoom, otherFacts] = derivations([stage(), stage({ ...flow[1], revision: 2 })])
  assert.ok(loom === sameLoom && facts !== otherFacts)
})

test('the view embedder is part of the generation, and of no derivation', () => {
  const [a, b] = ['toy-4', 'toy-8'].map((embedder) => planGeneration(flow, () => choices(), embedder))
  assert.notEqual(a?.id, b?.id)
  assert.deepEqual(
    a?.stages.map((planned) => planned.derivation),
    b?.stages.map((planned) => planned.derivation),
  )
})

test('a stage whose input no stage writes is a programmer error', () => {
  assert.throws(() => planGeneration(flow.toReversed(), () => choices(), 'toy-4'), /facts reads topic-shifts/)
})
