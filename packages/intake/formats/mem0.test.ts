import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSample } from './fixture.ts'

const memory = (id: string, words: string, more: object = {}) => ({
  id,
  memory: words,
  user_id: 'maya',
  hash: 'h',
  metadata: { app: 'notes', score: 3 },
  categories: ['home', 'boats'],
  created_at: '2026-03-02T02:00:00.123456-07:00',
  updated_at: null,
  ...more,
})

test('a memory is an utterance of its user, in a space of the user', () => {
  const list = [memory('1', 'Lives in Porto'), memory('2', 'Likes tea', { user_id: 'tomas' })]
  for (const sample of [list, { results: list }, { memories: list }]) {
    const { utterances, faults } = readSample('mem0', sample)
    assert.deepEqual(faults, [])
    assert.deepEqual(
      utterances.map(({ space, speaker, role, conversation, text }) => [space, speaker, role, conversation, text]),
      [
        ['maya', 'maya', 'human', 'mem0', 'Lives in Porto'],
        ['tomas', 'tomas', 'human', 'mem0', 'Likes tea'],
      ],
    )
    assert.deepEqual(utterances[0]?.metadata, {
      source: 'mem0',
      mem0_id: '1',
    })
  }
  assert.deepEqual(
    readSample('mem0', list, { space: 'all' }).utterances.map(({ space }) => space),
    ['all', 'all'],
  )
})

test('an updated memory is another utterance at its later time, and the same one has the same id', () => {
  const id = (...of: Parameters<typeof memory>) => readSample('mem0', [memory(...of)]).utterances[0]?.id
  const updated = { updated_at: '2026-04-01T00:00:00Z' }
  assert.equal(id('1', 'Lives in Porto'), id('1', 'Lives in Porto'))
  const [before, after] = [{ categories: null }, { metadata: { app: 'x' } }].map(
    (more) => readSample('mem0', [memory('1', 'x', more)]).utterances[0],
  )
  assert.deepEqual(after, before, 'other labels')
  assert.notEqual(id('2', 'Lives in Porto'), id('1', 'Lives in Porto'))
  assert.notEqual(id('1', 'Lives in Oslo', updated), id('1', 'Lives in Porto'))
  assert.equal(readSample('mem0', [memory('1', 'x', updated)]).utterances[0]?.at, Date.UTC(2026, 3, 1))
})

test('a memory without an owner, a text or a time is named', () => {
  const wrong = [
    memory('1', 'x', { user_id: undefined }),
    { ...memory('2', 'x'), memory: 7 },
    memory('3', 'x', { created_at: undefined }),
  ]
  assert.deepEqual(readSample('mem0', { results: wrong }).faults, [
    'talk.json: results[0]: user_id is missing: expected the user that the memory belongs to',
    'talk.json: results[1]: memory is 7: expected words',
    'talk.json: results[2]: at is missing: expected a time in ISO 8601 with a time zone, such as 2026-03-02T09:00:00Z',
  ])
})
