import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growTo } from './grow-conversation.ts'

const sample = (name: string, sessions: number) => ({
  sample_id: name,
  qa: [{ question: name }],
  conversation: Object.fromEntries(
    Array.from({ length: sessions }, (_, index) => index + 1).flatMap((session) => [
      [`session_${session}_date_time`, `${name} on day ${session}`],
      [`session_${session}`, [{ dia_id: `D${session}:1`, text: `${name} ${session}` }]],
    ]),
  ),
})

test('a conversation is cut, or continues with the renumbered sessions of the others', () => {
  const samples = [sample('a', 11), sample('b', 2)]
  const [shorter] = growTo(samples, 1)
  assert.deepEqual(shorter?.conversation, {
    session_1_date_time: 'a on day 1',
    session_1: [{ dia_id: 'D1:1', text: 'a 1' }],
  })
  const [, longer] = growTo(samples, 13)
  assert.equal(longer?.sample_id, 'b-of-13')
  assert.deepEqual(longer?.qa, [{ question: 'b' }])
  assert.deepEqual(longer?.conversation.session_3, [{ dia_id: 'D3:1', text: 'a 1' }])
  assert.deepEqual(longer?.conversation.session_13, [{ dia_id: 'D13:1', text: 'a 11' }])
  assert.equal(longer?.conversation.session_13_date_time, 'a on day 11')
})
