/** The versions of mem0's memories in the log: refused retractions, and utterances of other programs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Memory } from '@loomlog/adapters/mem0'
import type { MemorySpace } from '@loomlog/client/memory'
import { openSpace } from './open-space.ts'

/** The space for a key without the scope `correct`, as a server refuses its retractions. */
function withoutCorrect(space: MemorySpace): MemorySpace {
  return new Proxy(space, {
    get(target, name: keyof MemorySpace) {
      if (name === 'retract') return async () => Promise.reject(new Error('the key lacks the scope correct'))
      const member = target[name]
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

const wordsOf = async (space: MemorySpace) =>
  (await space.list({ kind: 'utterance' })).memories.map(({ text }) => text).filter((text) => !text.endsWith('(mem0)'))

test('after refused retractions the next change or deletion retracts every stale version', async (t) => {
  const space = await openSpace(t)
  const [memory, refused] = [new Memory({ space }), new Memory({ space: withoutCorrect(space) })]
  const owner = { userId: 'maya' }
  const [{ id = '' } = {}] = (await memory.add('I live in Lisbon.', owner)).results
  const [{ id: second = '' } = {}] = (await memory.add('I have a cat.', owner)).results
  for (const text of ['I live in Porto.', 'I live in Faro.'])
    await assert.rejects(refused.update(id, text), { message: /scope correct/ })
  await assert.rejects(refused.update(second, 'I have a dog.'), { message: /scope correct/ })
  const filters = { user_id: 'maya' }
  assert.deepEqual(
    (await refused.search('Where does Maya live?', { filters })).results.map(({ memory: text }) => text).toSorted(),
    ['I have a dog.', 'I live in Faro.'],
  )
  await memory.update(id, 'I live in Faro.')
  await memory.delete(second)
  await memory.getAll({ filters })
  assert.deepEqual(await wordsOf(space), ['maya: I live in Faro.'])
  await assert.rejects(refused.update(id, 'I live in Beja.'), { message: /scope correct/ })
  await memory.deleteAll(owner)
  await memory.getAll({ filters })
  assert.deepEqual(await wordsOf(space), [])
})

test('an utterance of another program with a label mem0 is no memory, and no deletion retracts it', async (t) => {
  const space = await openSpace(t)
  const memory = new Memory({ space })
  await memory.add('I have a cat.', { userId: 'maya' })
  const stored = { id: '1', owner: { user_id: 'maya' }, metadata: {}, attributedTo: 'user', createdAt: 0 }
  const labels = ['{', 'null', '"x"', '42', '{}', '{"owner":"maya"}', JSON.stringify(stored)]
  await space.add(
    labels.map((mem0, at) => ({ id: `other-${at}`, speaker: 'Tom', text: 'Hello.', metadata: { mem0 } })),
    { conversation: 'chat' },
  )
  const filters = { user_id: 'maya' }
  assert.equal((await memory.getAll({ filters })).results.length, 1)
  await memory.deleteAll({ userId: 'maya' })
  await memory.reset()
  assert.deepEqual((await memory.getAll({ filters })).results, [])
  assert.equal((await wordsOf(space)).length, labels.length)
})

test('a search in more than 100 conversations and a deletion of more than 1,000 memories are complete', async (t) => {
  const memory = new Memory({ space: await openSpace(t) })
  const runs = Array.from({ length: 130 }, (_, at) => String(at))
  const add = (text: string, runId: string) => memory.add(text, { userId: 'maya', runId, infer: false })
  for (const runId of runs) await add(`I sail with crew ${runId}.`, runId)
  const [first, last] = ['My boat is called Petrel.', 'My boat is called Heron.']
  await add(first, runs.at(0) ?? '')
  await add(last, runs.at(-1) ?? '')
  const filters = { user_id: 'maya' }
  const { results } = await memory.search('What is my boat called?', { filters, topK: 2 })
  assert.deepEqual(results.map(({ memory: text }) => text).toSorted(), [last, first])
  assert.ok((results[0]?.score ?? 0) >= (results[1]?.score ?? 1))
  const messages = Array.from({ length: 1_001 }, (_, at) => ({ role: 'user', content: `Note ${at}.` }))
  await memory.add(messages, { userId: 'maya', infer: false })
  await memory.deleteAll({ userId: 'maya' })
  assert.deepEqual((await memory.getAll({ filters })).results, [])
})
