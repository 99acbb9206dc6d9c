import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readLongMemEval } from './dataset.ts'

const sample = {
  question_id: 'q1',
  question_type: 'single-session-user',
  question: 'What did I sell?',
  answer: 7,
  question_date: '2023/05/30 (Tue) 10:00',
  haystack_dates: ['2023/05/20 (Sat) 02:21', '2023/05/22 (Mon) 12:00'],
  haystack_session_ids: ['s1', 's2'],
  haystack_sessions: [
    [
      { role: 'user', content: 'I sold my boat.', has_answer: true },
      { role: 'assistant', content: 'Congratulations!', has_answer: false },
    ],
    [
      { role: 'user', content: ' ' },
      { role: 'user', content: 'Good morning.' },
    ],
  ],
  answer_session_ids: ['s1'],
}

test('sessions become turns with roles, times and the marked evidence', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-longmemeval-'))
  t.after(() => rm(dir, { recursive: true }))
  const read = async (...questions: object[]) => {
    const file = join(dir, 'sample.json')
    await writeFile(file, JSON.stringify(questions))
    return readLongMemEval(file)
  }
  const [asked, abstained] = await read(sample, { ...sample, question_id: 'q1_abs' })
  assert.deepEqual(
    asked?.turns.map(({ id, session, role, at }) => [id, session, role, at]),
    [
      ['q1-1-1', '1 s1', 'human', '2023-05-20T02:21:00Z'],
      ['q1-1-2', '1 s1', 'agent', '2023-05-20T02:21:00Z'],
      ['q1-2-2', '2 s2', 'human', '2023-05-22T12:00:00Z'],
    ],
  )
  assert.deepEqual([asked?.gold, asked?.answer, abstained?.gold], [['q1-1-1'], '7', []])
  await assert.rejects(read({ ...sample, haystack_dates: [] }), /2 sessions, 2 ids and 0 dates/)
  await assert.rejects(read({ ...sample, haystack_dates: ['May', 'June'] }), /has the date May/)
  await assert.rejects(read({ ...sample, answer_session_ids: ['s9'] }), /is answered in s9/)
})
