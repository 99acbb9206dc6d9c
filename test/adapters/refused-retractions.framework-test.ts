/** Changes with a key that lacks the scope `correct`: the new value is written, and the old one stays until later. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryTool } from '@loomlog/adapters/anthropic'
import { memoryStore } from '@loomlog/adapters/langgraph'
import type { MemorySpace } from '@loomlog/client/memory'
import { openSpace } from './open-space.ts'

const maya = ['users', 'maya']
const refusing = (space: MemorySpace): MemorySpace => ({
  ...space,
  retract: async () => {
    throw new Error('expected the scope correct')
  },
})

async function textsIn(space: MemorySpace, conversation: string): Promise<readonly string[]> {
  const { memories } = await space.list({ kind: 'utterance', conversation })
  return memories.map(({ text }) => text).filter((text) => !text.endsWith(': (session)'))
}

test('a refused replacement writes every value of its batch, and the same value later retracts the old ones', async (t) => {
  const space = await openSpace(t)
  const store = memoryStore({ space })
  const put = (key: string, text: string) => ({ namespace: maya, key, value: { text } })
  await store.batch([put('home', 'Lisbon'), put('cat', 'Miso')])
  const changes = [put('home', 'Porto'), put('cat', 'Nori')]
  await assert.rejects(memoryStore({ space: refusing(space) }).batch(changes), /scope correct/)
  assert.deepEqual((await store.get(maya, 'home'))?.value, { text: 'Porto' })
  assert.deepEqual((await store.get(maya, 'cat'))?.value, { text: 'Nori' })
  assert.equal((await textsIn(space, 'langgraph')).length, 4)
  await store.batch(changes)
  await store.get(maya, 'home')
  assert.deepEqual((await textsIn(space, 'langgraph')).toSorted(), ['agent: Nori', 'agent: Porto'])
})

test('a refused edit of a note leaves its new content, and the next edit retracts both', async (t) => {
  const space = await openSpace(t)
  const path = '/memories/a.md'
  const edit = (old_str: string, new_str: string) => ({ command: 'str_replace', path, old_str, new_str }) as const
  const tool = memoryTool({ space })
  await tool.run({ command: 'create', path, file_text: 'Lisbon' })
  await assert.rejects(async () => memoryTool({ space: refusing(space) }).run(edit('Lisbon', 'Porto')), /scope correct/)
  await tool.run(edit('Porto', 'Rome'))
  await tool.run({ command: 'view', path })
  assert.deepEqual(await textsIn(space, 'anthropic'), ['assistant: Rome'])
})
