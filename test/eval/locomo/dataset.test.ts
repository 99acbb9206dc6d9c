import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fingerprintOf } from '../evidence/dataset.ts'
import { readDataset } from './dataset.ts'

const sample = {
  sample_id: 'conv-1',
  conversation: {
    speaker_a: 'Ann',
    speaker_b: 'Bob',
    session_1_date_time: '1:56 pm on 8 May, 2023',
    session_1: [
      { speaker: 'Ann', dia_id: 'D1:1', text: 'I sold the boat.' },
      { speaker: 'Bob', dia_id: 'D1:2', text: 'Look!', blip_caption: 'a photo of a canoe' },
    ],
    session_2_date_time: '1:56 pm on 9 May, 2023',
  },
  qa: [
    { question: 'What did Ann sell?', answer: 'a boat', evidence: ['D1:1; D1:02', 'D'], category: 4 },
    { question: 'When?', answer: 2023, evidence: ['D9:9'], category: 2 },
  ],
}

test('evidence ids are repaired if possible, and counted if they name no turn', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-locomo-'))
  t.after(() => rm(dir, { recursive: true }))
  const file = join(dir, 'sample.json')
  await writeFile(file, JSON.stringify([sample]))
  const { samples, droppedIds, withoutGold } = readDataset(file)
  assert.deepEqual(samples[0]?.questions[0]?.gold, ['D1:1', 'D1:2'])
  assert.deepEqual(droppedIds, ['conv-1: D', 'conv-1: D9:9'])
  assert.deepEqual(withoutGold, ['conv-1: When?'])
  assert.deepEqual(
    samples[0]?.turns.map(({ words }) => words),
    ['I sold the boat.', 'Look! [image: a photo of a canoe]'],
  )
  const [read] = samples
  if (read === undefined) assert.fail('no sample')
  assert.equal(fingerprintOf({ ...read, id: 'of another name', questions: [] }), fingerprintOf(read))
  assert.notEqual(fingerprintOf({ ...read, turns: read.turns.slice(1) }), fingerprintOf(read))
})
