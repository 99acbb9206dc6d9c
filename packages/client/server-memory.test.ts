import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeServer, json, lost } from './fake-server.ts'
import { connect } from './index.ts'

test('messages whose reply is lost are sent again with the same ids', async (t) => {
  const { url, sent } = await fakeServer(t, [lost, json({ ids: ['u1'], appended: 0, known: 1, position: '0@1' })])
  const { known } = await connect({ url }).space('team').add({ conversation: 'c', role: 'user', content: 'I row.' })
  assert.equal(known, 1)
  const [first, again] = sent.map(({ body }) => JSON.parse(body))
  assert.match(first[0].id, /^[\da-f]{32}$/)
  assert.deepEqual(again, first)
})
