/** The client of mem0's service on the memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import DefaultClient, { MemoryClient } from '@loomlog/adapters/mem0'
import type { ServiceClient } from './mem0-shapes.ts'
import { openSpace } from './open-space.ts'

test('the client of the service has the same memories in its own records', async (t) => {
  const client: ServiceClient = new MemoryClient({ apiKey: 'none', space: await openSpace(t) })
  assert.equal(DefaultClient, MemoryClient)
  await client.ping()
  const messages = [
    { role: 'user', content: 'I moved to Porto last week.' },
    { role: 'assistant', content: 'Enjoy Porto!' },
  ] as const
  const added = await client.add([...messages], { userId: 'maya', timestamp: 1_772_442_000, metadata: { a_b: 1 } })
  const [first, second] = added
  assert.ok(first && second)
  assert.deepEqual(
    added.map(({ event, data, userId }) => [event, data?.memory, userId]),
    messages.map(({ content }) => ['ADD', content, 'maya']),
  )
  assert.deepEqual(first.createdAt, new Date('2026-03-02T09:00:00Z'))
  const filters = { AND: [{ user_id: 'maya' }] }
  const page = await client.getAll({ filters, page: 1, pageSize: 1 })
  assert.deepEqual([page.count, page.results.length, page.next, page.previous], [2, 1, '?page=2&page_size=1', null])
  const { results } = await client.search('Where does Maya live?', { filters, topK: 1, rerank: true })
  assert.deepEqual(results[0]?.metadata, { a_b: 1 })
  assert.equal(results[0]?.id, first.id)
  const [updated] = await client.update(first.id, { text: 'I moved to Faro last week.' })
  assert.deepEqual([updated?.memory, updated?.createdAt], ['I moved to Faro last week.', first.createdAt])
  assert.equal(
    await client.batchUpdate([{ memoryId: second.id, text: 'Enjoy Faro!' }]),
    'Successfully updated 1 memories',
  )
  assert.equal((await client.get(second.id)).memory, 'Enjoy Faro!')
  assert.deepEqual(
    (await client.history(first.id)).map(({ event, oldMemory, newMemory }) => [event, oldMemory, newMemory]),
    [
      ['ADD', null, 'I moved to Porto last week.'],
      ['UPDATE', 'I moved to Porto last week.', 'I moved to Faro last week.'],
    ],
  )
  await client.delete(first.id)
  await assert.rejects(client.get(first.id), { message: `Memory with ID ${first.id} not found` })
  assert.equal(await client.batchDelete([second.id]), 'Successfully deleted 1 memories')
  await client.add([{ role: 'user', content: 'Hello.' }], { userId: 'maya' })
  await client.deleteAll({ userId: 'maya' })
  assert.equal((await client.getAll({ filters })).count, 0)
})
