import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { openAiModel } from '@loomlog/models/chat'
import { startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import type { Json } from '@loomlog/schemas/ids'
import { bleu1, f1, fullContext, gradeAnswer, gradesOf } from './answers.ts'

const turns = [
  { id: 'D1:1', session: 1, date: '1:56 pm on 8 May, 2023', speaker: 'Ann', words: 'I sold the boat.', isPerson: true },
]
const question = {
  sample: 's',
  index: 0,
  text: 'What did Ann sell?',
  answer: 'The old boat',
  category: '4',
  gold: ['D1:1'],
}

test('words are compared without case, articles and punctuation, with their counts', () => {
  assert.equal(f1('the Boat!', 'a boat'), 1)
  assert.equal(f1('boat boat', 'old boat'), 0.5)
  assert.equal(f1('', 'boat'), 0)
  assert.equal(bleu1('boat boat', 'old boat'), 0.5)
  assert.equal(bleu1('boat', 'old boat').toFixed(3), Math.exp(-1).toFixed(3))
})

test('an answer is right if the judge finds it responsive, true to the core and useful', async (t) => {
  let answer: Json = { answered: true, answer: 'boat', cites: ['e1'] }
  let verdict = { responsive: true, coreFacts: true, useful: true }
  const asked: Json[] = []
  const endpoint = await startFakeEndpoint({
    answer({ schemaName, input }) {
      asked.push(input)
      return schemaName === 'judge' ? verdict : answer
    },
  })
  t.after(() => endpoint.close())
  const model = { ...openAiModel({ baseUrl: endpoint.baseUrl, apiKey: '', model: 'fake' }), parameters: {} }
  const ask = (category = '4') => gradeAnswer({ ...question, category }, fullContext(turns), model)
  const right = await ask()
  assert.deepEqual([right.answer, right.f1?.toFixed(2), right.isRight], ['boat', '0.67', true])
  assert.match(JSON.stringify(asked[0]), /8 May, 2023/)
  assert.deepEqual(asked[1], { question: question.text, reference: question.answer, prediction: 'boat' })
  for (const wrong of ['responsive', 'coreFacts', 'useful']) {
    verdict = { responsive: true, coreFacts: true, useful: true, [wrong]: false }
    assert.equal((await ask()).isRight, false)
  }
  assert.equal((await ask('5')).isRight, false, 'an answer where there is none')
  answer = { answered: false, answer: '', cites: [] }
  const none = await ask('5')
  assert.deepEqual([none.f1, none.isRight], [null, true])
  assert.deepEqual([(await ask()).f1, (await ask()).isRight], [0, false])
  assert.match(gradesOf(new Map([['loomlog', [right, none]]]), ['4', '5']), /loomlog +4 +1 +0\.667/)
  endpoint.setMode('forbid')
  await assert.rejects(ask('5'), (error) => isLoomlogError(error, 'model-unavailable'), 'silence is not honesty')
})
