import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { jsonLinesOf, readBeam } from './dataset.ts'

const message = (id: number, role: string, content: string) => ({ id, role, content, time_anchor: null })
const chat = [
  {
    batch_number: 1,
    turns: [
      [
        { ...message(0, 'user', 'I live in Graz. ->-> 1,1'), time_anchor: 'March-15-2024' },
        message(1, 'assistant', 'Nice!'),
      ],
    ],
  },
  { batch_number: 2, time_anchor: 'April-02-2024', turns: [[message(2, 'user', 'I moved to Linz.')]] },
]
const questions = {
  abstention: [{ question: 'Who is Zoe?', ideal_response: 'Nothing is said of her.' }],
  knowledge_update: [
    {
      question: 'Where do I live?',
      answer: 'Linz',
      source_chat_ids: { original_info: [0], updated_info: [[2, 9]] },
    },
  ],
}

test('messages, evidence in any nesting, and the order of an update are read', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-beam-'))
  t.after(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, '7'))
  await writeFile(join(folder, '7', 'chat.json'), JSON.stringify(chat))
  await writeFile(join(folder, '7', 'probing_questions.json'), JSON.stringify(questions))
  const { samples, droppedIds, withoutGold } = readBeam(folder)
  const [sample] = samples
  assert.deepEqual(
    sample?.turns.map(({ id, words }) => [id, words]),
    [
      ['7:0', 'I live in Graz.'],
      ['7:1', 'Nice!'],
      ['7:2', 'I moved to Linz.'],
    ],
  )
  assert.deepEqual(
    sample?.questions.map(({ category, gold, update }) => ({ category, gold, update })),
    [
      { category: 'abstention', gold: [], update: undefined },
      { category: 'knowledge_update', gold: ['7:0', '7:2'], update: { older: ['7:0'], newer: ['7:2', '7:9'] } },
    ],
  )
  assert.deepEqual(droppedIds, ['7:9'])
  assert.deepEqual(withoutGold, [])
  const lines = sample ? jsonLinesOf(sample).trim().split('\n') : []
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ conversation, role, at }) => [conversation, role, at]),
    [
      ['7-1', 'human', '2024-03-15T09:00:00.000Z'],
      ['7-1', 'agent', '2024-03-15T09:01:00.000Z'],
      ['7-2', 'human', '2024-04-02T09:00:00.000Z'],
    ],
  )
})

test('a folder without conversations is refused', () => {
  assert.throws(() => readBeam(tmpdir()), { code: 'input-invalid', message: /expected folders with chat\.json/ })
})
