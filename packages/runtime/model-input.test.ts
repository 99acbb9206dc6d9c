import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerRecorded } from '@loomlog/schemas/events'
import { Answers } from './answers.ts'
import type { Task } from './step.ts'
import { unthrottled } from './throttle.ts'
import { modelReply, toyModel } from './toy-processors.ts'

type HintedText = { readonly text: string; readonly hint: number }

/** A model is asked about the text; rules see the hint as well. */
const hinted: Task<HintedText, { readonly label: string }> = {
  name: 'hinted',
  prompt: 'hinted.v1',
  schema: {},
  modelInput: ({ text }) => ({ text }),
  // biome-ignore lint/correctness/useYield: rules may ask, and these do not
  *local({ hint }) {
    return { label: `hint ${hint}` }
  },
}

function answers(prompts: ReadonlyMap<string, string>) {
  const recorded = new Map<string, AnswerRecorded>()
  const completions = {
    lookup: async (key: string) => recorded.get(key) ?? null,
    async record(_space: string, answer: AnswerRecorded) {
      recorded.set(answer.key, answer)
      return answer
    },
  }
  const { model, asked } = toyModel((text) => modelReply({ label: text }))
  const sources = {
    stage: 'toy',
    model,
    prompts,
    embedder: null,
    parameters: {},
    completions,
    throttle: unthrottled,
    onBackoff() {},
  }
  const asker = { tenant: 't', space: 's', attempt: 1, since: 0, signal: new AbortController().signal }
  const all = new Answers(sources)
  return {
    asked,
    about: async (input: HintedText) =>
      (await all.answer([{ task: hinted as Task<never, never>, input }], asker))[0]?.value,
  }
}

test('a model gets a part of the input, and is asked again only when that part differs', async () => {
  const { asked, about } = answers(new Map([['hinted', 'Label it.']]))
  for (const input of [
    { text: 'a', hint: 1 },
    { text: 'a', hint: 2 },
    { text: 'b', hint: 2 },
  ]) {
    assert.deepEqual(await about(input), { label: input.text })
  }
  assert.deepEqual(asked, ['a', 'b'])
})

test('rules answer from all of the input', async () => {
  const { asked, about } = answers(new Map())
  assert.deepEqual(await about({ text: 'a', hint: 2 }), { label: 'hint 2' })
  assert.deepEqual(asked, [])
})
