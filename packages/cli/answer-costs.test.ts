import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import type { UsedAnswer } from '@loomlog/recall/answer-costs'
import { usedAnswerLines } from './answer-costs.ts'

const answer = (key: string, task: string, model: string, fields: Partial<UsedAnswer> = {}): UsedAnswer => ({
  key,
  task,
  model,
  prompt: null,
  attempts: 1,
  inputTokens: 0,
  outputTokens: 0,
  money: null,
  ...fields,
})

test('the embeddings of a memory share a line for each model, and every other answer has its own', () => {
  const asked = [
    answer('a', 'find-shifts', 'm', { prompt: '0123456789', inputTokens: 1_200, outputTokens: 7, attempts: 2 }),
    ...Array.from({ length: 1_041 }, (_, n) => answer(`w${n}`, 'embed', 'words-256')),
    answer('b', 'find-shifts', 'm', { prompt: '0123456789', inputTokens: 5 }),
    answer('e', 'embed', 'm', { inputTokens: 1_005 }),
  ]
  assert.deepEqual(usedAnswerLines(asked).map(stripVTControlCharacters), [
    'asked find-shifts (m, prompt 01234567; 1,200+7 tokens, 2 tries)',
    '1,041 embeddings by words-256',
    'asked find-shifts (m, prompt 01234567; 5+0 tokens)',
    '1 embedding by m (1,005 tokens)',
  ])
})
