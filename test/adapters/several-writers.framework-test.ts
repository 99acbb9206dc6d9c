/** Writers of one conversation at the same time: in one process they take turns, and in several nothing is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryTool } from '@loomlog/adapters/anthropic'
import { memoryStore } from '@loomlog/adapters/langgraph'
import { memorySession } from '@loomlog/adapters/openai-agents'
import type { MemorySpace } from '@loomlog/client/memory'
import type { AgentInputItem } from '@openai/agents'
import { openSpace } from './open-space.ts'

const user = (content: string): AgentInputItem => ({ type: 'message', role: 'user', content })
const maya = ['users', 'maya']

/** The current texts of a conversation, after its writes. */
async function currentIn(space: MemorySpace, conversation: string): Promise<readonly string[]> {
  const { memories } = await space.list({ kind: 'utterance', conversation })
  return memories.map(({ text }) => text).filter((text) => !text.endsWith(': (session)'))
}

test('the same words of several writers at once are as many items', async (t) => {
  const space = await openSpace(t)
  // A copy of the space for each, as in several processes.
  const sessions = Array.from({ length: 8 }, () => memorySession({ space: { ...space }, conversation: 'chat' }))
  await Promise.all(sessions.map((session) => session.addItems([user('ok')])))
  assert.deepEqual(await sessions[0]?.getItems(), Array(8).fill(user('ok')))
})

test('of concurrent writes to one key, one value stays current', async (t) => {
  const space = await openSpace(t)
  const stores = [memoryStore({ space }), memoryStore({ space })]
  const words = ['one', 'two', 'three', 'four']
  await Promise.all(words.map((text, at) => stores[at % 2]?.put(maya, 'home', { text })))
  assert.deepEqual((await stores[0]?.get(maya, 'home'))?.value, { text: 'four' })
  assert.deepEqual(await currentIn(space, 'langgraph'), ['agent: four'])
})

test('a write retracts every version that writers of other processes have left', async (t) => {
  const space = await openSpace(t)
  const stores = ['one', 'two', 'three'].map((text) => ({ text, store: memoryStore({ space: { ...space } }) }))
  await Promise.all(stores.map(({ text, store }) => store.put(maya, 'home', { text })))
  const reasons: unknown[] = []
  const counting: MemorySpace = {
    ...space,
    retract: async (retraction, options) => {
      reasons.push([retraction.reason, retraction.utterances?.length])
      return await space.retract(retraction, options)
    },
  }
  const store = memoryStore({ space: counting })
  await store.put(maya, 'home', { text: 'four' })
  await store.get(maya, 'home')
  assert.deepEqual(await currentIn(space, 'langgraph'), ['agent: four'])
  assert.deepEqual(reasons, [['replaced', 3]])
})

test('two memory tools of a space take turns', async (t) => {
  const space = await openSpace(t)
  const tools = [memoryTool({ space }), memoryTool({ space })] as const
  const path = '/memories/a.md'
  const created = await Promise.allSettled(
    tools.map((tool) => tool.run({ command: 'create', path, file_text: 'words' })),
  )
  assert.deepEqual(
    created.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  const lines = ['one', 'two', 'three']
  await Promise.all(
    lines.map((text, at) =>
      tools[at === 1 ? 1 : 0].run({ command: 'insert', path, insert_line: 0, insert_text: text }),
    ),
  )
  assert.match(String(await tools[0].run({ command: 'view', path })), /1\tthree\n +2\ttwo\n +3\tone\n +4\twords/)
  assert.deepEqual(await currentIn(space, 'anthropic'), ['assistant: three\ntwo\none\nwords'])
})

test('two sessions of a space pop different items', async (t) => {
  const space = await openSpace(t)
  const sessions = [0, 1].map(() => memorySession({ space, conversation: 'chat' }))
  const items = ['one', 'two', 'three'].map(user)
  await sessions[0]?.addItems(items)
  const popped = await Promise.all(sessions.map((session) => session.popItem()))
  assert.deepEqual(popped, [items[2], items[1]])
  assert.deepEqual(await sessions[0]?.getItems(), items.slice(0, 1))
})

test('a failed write holds up no later one', async (t) => {
  const space = await openSpace(t)
  const session = memorySession({ space, conversation: 'chat' })
  const [large, small] = await Promise.allSettled([
    session.addItems([user('x'.repeat(300_000))]),
    session.addItems([user('ok')]),
  ])
  assert.deepEqual([large.status, small.status], ['rejected', 'fulfilled'])
})
