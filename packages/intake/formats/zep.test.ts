import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSample } from './fixture.ts'

const at = '2026-03-02T09:00:00.123456Z'
const session = {
  session_id: 's1',
  user_id: 'maya',
  created_at: at,
  messages: [
    {
      uuid: 'm1',
      created_at: at,
      role: 'Maya',
      role_type: 'user',
      content: 'I moved to Porto.',
      metadata: { app: 'x' },
    },
    { uuid: 'm2', created_at: at, role: '', role_type: 'assistant', content: 'Good luck!' },
  ],
  facts: ['Maya lives in Porto.'],
}
const thread = {
  thread_id: 't1',
  user_id: 'maya',
  messages: [
    { uuid: 'm1', created_at: at, name: 'Maya', role: 'user', content: 'I moved to Porto.' },
    { uuid: 'm2', created_at: at, role: 'assistant', content: 'Good luck!' },
  ],
}

test('sessions and threads are conversations in the space of their user, in each of their shapes', () => {
  const said = (id: string) => [
    ['maya', id, 'Maya', 'human', 'I moved to Porto.'],
    ['maya', id, 'assistant', 'agent', 'Good luck!'],
  ]
  for (const [sample, id] of [
    [[session], 's1'],
    [{ sessions: [session] }, 's1'],
    [{ threads: [thread] }, 't1'],
    [thread, 't1'],
  ] as const) {
    const { utterances, faults } = readSample('zep', sample)
    assert.deepEqual(faults, [])
    assert.deepEqual(
      utterances
        .slice(0, 2)
        .map(({ space, conversation, speaker, role, text }) => [space, conversation, speaker, role, text]),
      said(id),
    )
  }
  const { user_id: _, ...ofNobody } = thread
  assert.equal(readSample('zep', [ofNobody]).utterances[0]?.space, 'home')
})

test('messages and facts are the same with other metadata', () => {
  const fact = { uuid: 'f1', fact: 'Maya sails.', created_at: at }
  const read = (metadata: object, valid: string | null) => {
    const messages = session.messages.map((message) => ({ ...message, metadata }))
    return readSample('zep', [{ ...session, messages, facts: [{ ...fact, valid_at: valid }] }]).utterances
  }
  assert.equal(read({}, null).length, 3)
  assert.deepEqual(read({ mood: 'glad' }, at), read({}, null))
})

test('a fact is an utterance of zep in a conversation of its own, and one that no longer holds is left out', () => {
  const facts = [
    'Maya lives in Porto.',
    { fact: 'Maya sails.', created_at: at, valid_at: at },
    { fact: 'Maya lives in Lisbon.', created_at: at, invalid_at: at },
  ]
  const { utterances, leftOut } = readSample('zep', [{ ...session, messages: [], facts }])
  assert.deepEqual(
    utterances.map(({ conversation, speaker, role, text }) => [conversation, speaker, role, text]),
    [
      ['facts of s1', 'zep', 'agent', 'Maya lives in Porto.'],
      ['facts of s1', 'zep', 'agent', 'Maya sails.'],
    ],
  )
  assert.deepEqual(leftOut, ['a fact that no longer holds'])
})

test('every wrong message is named, and the other sessions are read', () => {
  const wrong = {
    ...session,
    messages: [
      { ...session.messages[0], role_type: 'robot' },
      { ...session.messages[1], created_at: undefined },
    ],
    facts: null,
  }
  const { utterances, faults } = readSample('zep', { sessions: [wrong, { session_id: 7 }, session] })
  assert.equal(utterances.length, 3)
  assert.deepEqual(faults, [
    'talk.json: sessions[0].messages[0]: role_type is "robot": expected one of user, assistant, system, tool, function, norole',
    'talk.json: sessions[0].messages[1]: at is missing: expected a time in ISO 8601 with a time zone, such as 2026-03-02T09:00:00Z',
    'talk.json: sessions[1]: session_id is 7: expected the id of the session or thread',
  ])
})
