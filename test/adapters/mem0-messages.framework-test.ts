/** Messages of mem0: which of them become memories, and which are known already. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Memory } from '@loomlog/adapters/mem0'
import type { Mem0 } from './mem0-shapes.ts'
import { openSpace } from './open-space.ts'

const textsOf = ({ results }: { readonly results: readonly { readonly memory: string }[] }) =>
  results.map(({ memory }) => memory)

test('the same words at another time, with other metadata or an expired copy are another memory', async (t) => {
  const memory: Mem0 = new Memory({ space: await openSpace(t) })
  const owner = { userId: 'maya' }
  const add = async (text: string, options: object = {}) =>
    (await memory.add(text, { ...owner, ...options })).results.length
  const homes = [
    ['I live in Lisbon.', '2024-05-01'],
    ['I live in Porto.', '2025-05-01'],
    ['I live in Lisbon.', '2026-05-01'],
  ] as const
  for (const [text, timestamp] of homes) assert.equal(await add(text, { timestamp }), 1)
  const all = await memory.getAll({ filters: { user_id: 'maya' } })
  assert.deepEqual(textsOf(all), ['I live in Lisbon.', 'I live in Porto.', 'I live in Lisbon.'])
  assert.equal(await add('I live in Lisbon.', { timestamp: '2024-05-01' }), 0)
  assert.equal(await add('I live in Porto.'), 0)
  assert.equal(await add('I live in Porto.', { metadata: { year: 2025, tags: ['home'] } }), 1)
  assert.equal(await add('I live in Porto.', { metadata: { tags: ['home'], year: 2025 } }), 0)
  assert.equal(await add('I live in Porto.', { expirationDate: '2999-01-01' }), 1)
  assert.equal(await add('I have the flu.', { expirationDate: '2020-01-01' }), 1)
  assert.equal(await add('I have the flu.', { expirationDate: '2020-01-01' }), 1)
  assert.equal(await add('I have the flu.'), 1)
  assert.equal(await add('I have the flu.'), 0)
})

test('a history that is added again whole keeps its order and its repeated words, and adds only new ones', async (t) => {
  const memory: Mem0 = new Memory({ space: await openSpace(t) })
  const history = ['Tea, please.', 'Coffee, please.', 'Tea, please.'].map((content) => ({ role: 'user', content }))
  const owner = { userId: 'maya' }
  const ordered = Array.from({ length: 9 }, (_, at) => ({ role: 'user', content: `Order ${at}.` }))
  await memory.add(ordered, { agentId: 'bar' })
  assert.deepEqual(
    textsOf(await memory.getAll({ filters: { agent_id: 'bar' } })),
    ordered.map(({ content }) => content).toReversed(),
  )
  await memory.add(history.slice(0, 2), owner)
  assert.deepEqual(textsOf(await memory.add(history, owner)), ['Tea, please.'])
  assert.deepEqual(textsOf(await memory.add(history, owner)), [])
})

test('persons, agents and tools speak, prompts are left out, and texts in parts are joined', async (t) => {
  const space = await openSpace(t)
  const memory = new Memory({ space })
  const image = { type: 'image_url', image_url: { url: 'https://example.com/boat.png' } }
  const messages = [
    { role: 'system', content: 'Answer in rhymes.' },
    { role: 'developer', content: 'Never answer in rhymes.' },
    { role: 'user', content: [{ type: 'text', text: 'This is my boat.' }, image, { type: 'text', text: 'It leaks.' }] },
    { role: 'assistant', content: null, tool_calls: [{ type: 'function' }] },
    { role: 'tool', content: 'Engine: 40 hp' },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'A leak.' },
        { type: 'text', text: 'Call a yard.' },
      ],
    },
  ]
  await memory.add(messages, { userId: 'maya', agentId: 'guide' })
  assert.equal((await memory.getAll({ filters: { user_id: 'maya' } })).results.length, 3)
  const { memories } = await space.list({ kind: 'utterance' })
  assert.deepEqual(
    memories
      .toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
      .map(({ text, role }) => [role, text])
      .filter(([role]) => role !== 'system'),
    [
      ['human', 'maya: This is my boat.\nIt leaks.'],
      ['tool', 'tool: Engine: 40 hp'],
      ['agent', 'guide: Call a yard.'],
    ],
  )
  const refused: readonly (readonly [object, RegExp])[] = [
    [
      { role: 'tom', content: 'x' },
      /^Invalid role of a message: "tom"\. Expected user, assistant, tool, system or dev/,
    ],
    [{ content: 'x' }, /^Invalid role of a message: undefined/],
    [{ role: 'user', content: 42 }, /^Invalid content of a message: 42\. Expected a text, or a list of parts/],
    [{ role: 'user', content: ['x'] }, /^Invalid content of a message: \["x"\]/],
    [{ role: 'user', content: [{ type: 'text' }] }, /^Invalid content of a message: \[\{"type":"text"\}\]/],
  ]
  for (const [message, expected] of refused)
    await assert.rejects(memory.add([{ role: 'user', content: 'Hello.' }, message as never], { userId: 'maya' }), {
      message: expected,
    })
  assert.equal((await memory.getAll({ filters: { user_id: 'maya' } })).results.length, 3)
})
