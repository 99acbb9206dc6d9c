import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerRecorded } from '@loomlog/schemas/events'
import { askKey, questionText } from './ask-key.ts'
import { DryRun, type PromptedModel } from './dry-run.ts'
import { judge, judgingStep, loom, utterance } from './toy-processors.ts'

const model = { name: 'm', parameters: {} }
const old: PromptedModel = { model, prompts: new Map([['judge', 'Judge.']]) }
const changed: PromptedModel = { model, prompts: new Map([['judge', 'Judge, with care and patience.']]) }

/** Recorded answers by prompt and judged text. */
function lookupOf(...answers: readonly { readonly text: string; readonly prompt: string; readonly label: string }[]) {
  const recorded = new Map<string, AnswerRecorded>()
  for (const { text, prompt, label } of answers) {
    const key = askKey(questionText({ model, prompt }, judge), { text }, { tenant: 't', space: 's', attempt: 1 })
    const counts = { attempts: 1, calls: 1, inputTokens: 100, outputTokens: 7 }
    const place = { tenant: 't', space: 's', task: 'judge', model: 'm', stage: 'toy', prompt: null }
    const rest = { ...place, vector: null, none: null, since: 0, keyId: null }
    recorded.set(key, { type: 'AnswerRecorded', key, answer: JSON.stringify({ label }), ...rest, ...counts })
  }
  return { lookup: async (key: string) => recorded.get(key) ?? null }
}

function run(now: PromptedModel, lookup: ReturnType<typeof lookupOf>): DryRun {
  const recipe = { processor: loom(judgingStep), parameters: {}, derivation: 'd', embedder: 'none' }
  return new DryRun({ ...recipe, now, before: old, completions: lookup })
}

test('an answer recorded for the recipe is used, and no model is called', async () => {
  const dry = run(old, lookupOf({ text: 'text of a', prompt: 'Judge.', label: 'fine' }))
  const [made] = await dry.give({ ...utterance('a'), seq: 0 })
  assert.match(JSON.stringify(made), /fine/)
  assert.deepEqual([dry.recorded, dry.unpaid], [1, []])
})

test('an ask without a recorded answer is counted once, and gets the answer from before the change', async () => {
  const dry = run(changed, lookupOf({ text: 'text of a', prompt: 'Judge.', label: 'fine' }))
  for (const seq of [0, 1]) {
    const [made] = await dry.give({ ...utterance('a'), seq })
    assert.match(JSON.stringify(made), /fine/)
  }
  // The longer prompt is counted in: 24 characters more, six tokens.
  assert.deepEqual(dry.unpaid, [{ task: 'judge', model: 'm', inputTokens: 106, outputTokens: 7 }])
  assert.equal(dry.recorded, 0)
})

test('an ask that was never answered is answered by rules, and its tokens are estimated from its length', async () => {
  const dry = run(changed, lookupOf())
  const [made] = await dry.give({ ...utterance('b'), seq: 0 })
  assert.match(JSON.stringify(made), /by rules/)
  const [only] = dry.unpaid
  assert.ok(only && only.inputTokens > 5 && only.inputTokens < 40)
})
