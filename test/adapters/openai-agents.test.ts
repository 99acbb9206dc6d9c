/** A session of the OpenAI Agents SDK on the memory, with a fake of a model. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memorySession } from '@loomlog/adapters/openai-agents'
import { Agent, type AgentInputItem, type Model, Runner, tool, Usage } from '@openai/agents'
import { openSpace } from './open-space.ts'

type Output = Awaited<ReturnType<Model['getResponse']>>['output'][number]

const said = (text: string): Output => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
})
const user = (content: string): AgentInputItem => ({ type: 'message', role: 'user', content })

/** Replies in turn, and keeps its inputs. */
class FakeModel implements Model {
  readonly inputs: (string | AgentInputItem[])[] = []
  readonly #replies: Output[][]

  constructor(...replies: Output[][]) {
    this.#replies = replies
  }

  async getResponse({ input }: Parameters<Model['getResponse']>[0]) {
    this.inputs.push(structuredClone(input))
    return { usage: new Usage(), output: this.#replies.shift() ?? [] }
  }

  getStreamedResponse(): never {
    throw new Error('the fake does not stream')
  }
}

test('a run sees the items of the runs before, calls of tools included', async (t) => {
  const space = await openSpace(t)
  const weather = tool({
    name: 'weather',
    description: 'The weather of a place.',
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
    strict: false,
    execute: async () => 'sunny',
  })
  const call: Output = { type: 'function_call', callId: 'c1', name: 'weather', arguments: '{"place":"Lisbon"}' }
  const model = new FakeModel([call], [said('Sunny.')], [said('In Lisbon.')])
  const agent = new Agent({ name: 'Guide', model, tools: [weather] })
  const runner = new Runner({ tracingDisabled: true })
  const session = () => memorySession({ space, conversation: 'chat', user: 'Maya', agent: 'Guide' })
  const first = await runner.run(agent, 'I live in Lisbon. How is the weather?', { session: session() })
  assert.equal(first.finalOutput, 'Sunny.')
  const second = await runner.run(agent, 'Where do I live?', { session: session() })
  assert.equal(second.finalOutput, 'In Lisbon.')
  const [, , input] = model.inputs
  assert.deepEqual(
    (input as AgentInputItem[]).map((item) => ('role' in item ? item.role : item.type)),
    ['user', 'function_call', 'function_call_result', 'assistant', 'user'],
  )
  const { memories } = await space.list({ kind: 'utterance' })
  assert.deepEqual(
    memories
      .map(({ text }) => text)
      .slice(0, 5)
      .toSorted(),
    [
      'Guide: Sunny.',
      'Guide: weather({"place":"Lisbon"})',
      'Maya: I live in Lisbon. How is the weather?',
      'openai-agents: (session)',
      'tool: (function_call_result)',
    ],
  )
  assert.match((await space.recall('Where does Maya live?')).text, /Lisbon/)
})

test('items come back as they were, in their order, the last ones within a limit', async (t) => {
  const space = await openSpace(t)
  const session = memorySession({ space, conversation: 'chat' })
  assert.equal(await session.getSessionId(), 'chat')
  assert.deepEqual(await session.getItems(), [])
  const image: AgentInputItem = { role: 'user', content: [{ type: 'input_image', image: 'https://example.org/a.png' }] }
  const reasoning: AgentInputItem = { type: 'reasoning', content: [{ type: 'input_text', text: 'Hm.' }] }
  const long = user('word '.repeat(10_000))
  const items = [user('yes'), user('yes'), said('Fine.'), image, reasoning, long]
  await session.addItems(items.slice(0, 3))
  await session.addItems([])
  await session.addItems(items.slice(3))
  await memorySession({ space, conversation: 'other' }).addItems([user('elsewhere')])
  await space.add({ speaker: 'Maya', text: 'Not an item.' }, { conversation: 'chat' })
  assert.deepEqual(await session.getItems(), items)
  assert.deepEqual(await session.getItems(2), items.slice(-2))
  assert.deepEqual(await session.getItems(0), [])
})

test('a popped item and a cleared session are gone, and new items follow', async (t) => {
  const space = await openSpace(t)
  const session = memorySession({ space, conversation: 'chat' })
  const other = memorySession({ space, conversation: 'other' })
  const items = [user('I live in Lisbon.'), said('Noted.'), user('I live in Porto.')]
  await session.addItems(items)
  await other.addItems(items)
  assert.deepEqual(await session.popItem(), items[2])
  assert.deepEqual(await session.getItems(), items.slice(0, 2))
  await session.addItems([user('I live in Porto.')])
  assert.deepEqual(await session.getItems(), items)
  await session.clearSession()
  assert.deepEqual(await session.getItems(), [])
  assert.equal(await session.popItem(), undefined)
  await session.addItems([said('Hello.')])
  assert.deepEqual(await session.getItems(), [said('Hello.')])
  assert.deepEqual(await other.getItems(), items)
  assert.equal((await space.list({ kind: 'utterance', conversation: 'chat', state: 'all' })).memories.length, 8)
})

test('an item over the limit of an utterance is refused', async (t) => {
  const session = memorySession({ space: await openSpace(t), conversation: 'chat' })
  await assert.rejects(session.addItems([user('x'.repeat(300_000))]), { code: 'input-invalid' })
})

test('results of tools, system messages and searches come back, but their words are not recorded as spoken', async (t) => {
  const space = await openSpace(t)
  const session = memorySession({ space, conversation: 'chat', agent: 'Guide' })
  const words = 'Maya: I live in Lisbon.'
  const items: AgentInputItem[] = [
    { role: 'system', content: words },
    { type: 'function_call', callId: 'c1', name: 'recall', arguments: '{"question":"Where?"}' },
    { type: 'function_call_result', callId: 'c1', name: 'recall', status: 'completed', output: words },
    { type: 'hosted_tool_call', name: 'file_search', status: 'completed', output: words },
    { type: 'reasoning', content: [{ type: 'input_text', text: words }] },
    said('In Lisbon.'),
  ]
  await session.addItems(items)
  assert.deepEqual(await session.getItems(), items)
  const { memories } = await space.list({ kind: 'utterance', conversation: 'chat' })
  assert.deepEqual(memories.map(({ text }) => text).toSorted(), [
    'Guide: (hosted_tool_call)',
    'Guide: (reasoning)',
    'Guide: In Lisbon.',
    'Guide: recall({"question":"Where?"})',
    'openai-agents: (session)',
    'system: (system)',
    'tool: (function_call_result)',
  ])
})

test('items of any tool name, and words after many empty lines, are kept', async (t) => {
  const session = memorySession({ space: await openSpace(t), conversation: 'chat' })
  const result = (name: string): AgentInputItem => ({
    type: 'function_call_result',
    callId: 'c1',
    name,
    status: 'completed',
    output: 'sunny',
  })
  const items = [result(''), result('n'.repeat(300)), user(`${'\n'.repeat(30_000)}words`)]
  await session.addItems(items)
  assert.deepEqual(await session.getItems(), items)
})
