import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from './api.ts'
import { prepareMessages } from './messages.ts'

test('a message without an id and a time gets a random id, and every other one keeps its own', () => {
  const at = '2026-03-02T09:00:00Z'
  const said = { speaker: 'Maya', text: 'I row.' }
  const [first, second, dated, named] = prepareMessages([said, said, { ...said, at }, { ...said, id: 'u1' }], {})
  assert.match(first?.id ?? '', /^[\da-f]{32}$/)
  assert.notEqual(first?.id, second?.id)
  assert.deepEqual([dated?.id, dated?.at], [undefined, at])
  assert.equal(named?.id, 'u1')
})

test('a message of no conversation is of that of the call', () => {
  const own = { role: 'user', content: 'I row.', conversation: 'own' } as const
  const prepared = prepareMessages([own, { role: 'user', content: 'I row.' }], { conversation: 'chat' })
  assert.deepEqual(
    prepared.map(({ conversation }) => conversation),
    ['own', 'chat'],
  )
})

test('one message is a list of one, and a value of another type is left to the log to refuse', () => {
  assert.equal(prepareMessages({ speaker: 'Maya', text: 'I row.' }, {}).length, 1)
  const wrong = [null, 'text', 7] as unknown as readonly Message[]
  assert.deepEqual(prepareMessages(wrong, {}), wrong)
})
