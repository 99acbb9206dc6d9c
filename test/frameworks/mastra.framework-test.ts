/** The processor in Mastra: its own agents, with a fake of a model. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryProcessor, type ProcessorOptions } from '@loomlog/adapters/mastra'
import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import type { MastraModelConfig } from '@mastra/core/llm'
import { MockMemory } from '@mastra/core/memory'
import type { InputProcessor, OutputProcessor } from '@mastra/core/processors'
import { RequestContext } from '@mastra/core/request-context'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod'
import { fakeModel, said } from '../adapters/fake-language-model.ts'
import { noErrors } from '../adapters/no-errors.ts'
import { openSpace } from '../adapters/open-space.ts'
import { utterancesOf } from '../adapters/recorded-utterances.ts'

type Model = ReturnType<typeof fakeModel>
type AgentOptions = Omit<
  Partial<ConstructorParameters<typeof Agent>[0]>,
  'model' | 'inputProcessors' | 'outputProcessors'
>
interface Others {
  readonly input?: readonly InputProcessor[]
  readonly output?: readonly OutputProcessor[]
}

function agentOf(
  model: Model,
  options: ProcessorOptions,
  { input = [], output = [] }: Others = {},
  more: AgentOptions = {},
) {
  const processor = memoryProcessor(options)
  return new Agent({
    id: 'guide',
    name: 'Guide',
    instructions: 'Be brief.',
    maxRetries: 0,
    ...more,
    model: configOf(model),
    inputProcessors: [...input, processor],
    outputProcessors: [...output, processor],
  })
}

/** The fake has the types of the AI SDK, and Mastra an older copy of them. */
const configOf = (model: Model) => model as unknown as MastraModelConfig
const callsOf = ({ doGenerateCalls, doStreamCalls }: Model) => [...doGenerateCalls, ...doStreamCalls]
/** The system messages of the last call. */
const systemOf = (model: Model) =>
  (callsOf(model).at(-1)?.prompt ?? []).flatMap(({ role, content }) => (role === 'system' ? [content] : []))
const thread = (name: string) => ({ memory: { thread: name, resource: 'maya' } })

for (const kind of ['generate', 'stream'] as const) {
  test(`a turn is remembered in the next thread (${kind})`, async (t) => {
    const space = await openSpace(t)
    const model = fakeModel([said('Noted, Lisbon.')], [said('In Lisbon.')])
    const agent = agentOf(model, { space, user: 'Maya', agent: 'Guide', onError: noErrors(t) })
    const ask = async (prompt: string, name: string) =>
      kind === 'generate'
        ? (await agent.generate(prompt, thread(name))).text
        : await (await agent.stream(prompt, thread(name))).text
    assert.equal(await ask('I live in Lisbon.', 't1'), 'Noted, Lisbon.')
    assert.deepEqual(systemOf(model), ['Be brief.'])
    assert.equal(await ask('Where do I live?', 't2'), 'In Lisbon.')
    const [instructions, context = '', ...others] = systemOf(model)
    assert.equal(instructions, 'Be brief.')
    assert.match(context, /^From the memory(?:.|\n)*I live in Lisbon\./)
    assert.deepEqual(others, [])
    assert.deepEqual(await utterancesOf(space), [
      'Guide: In Lisbon.',
      'Guide: Noted, Lisbon.',
      'Maya: I live in Lisbon.',
      'Maya: Where do I live?',
    ])
  })
}

test('without a thread a repeated call adds nothing, and the history is not in the context', async (t) => {
  const space = await openSpace(t)
  const model = fakeModel([said('Noted.')], [said('Noted.')], [said('In Lisbon.')])
  const agent = agentOf(model, { space, conversation: 'chat', onError: noErrors(t) })
  await agent.generate('I live in Lisbon.')
  await agent.generate('I live in Lisbon.')
  await agent.generate([
    { role: 'user', content: 'I live in Lisbon.' },
    { role: 'assistant', content: 'Noted.' },
    { role: 'user', content: 'Where do I live?' },
  ])
  assert.deepEqual(systemOf(model), ['Be brief.'])
  const expected = ['assistant: In Lisbon.', 'assistant: Noted.', 'user: I live in Lisbon.', 'user: Where do I live?']
  assert.deepEqual(await utterancesOf(space), expected)
})

test('with a memory of Mastra, its history is not in the context, and nothing is recorded twice', async (t) => {
  const space = await openSpace(t)
  const replies = ['Noted.', 'A cat.', 'Noted.', 'In Lisbon.'].map((text) => [said(text)])
  const model = fakeModel(...replies)
  const memory = new MockMemory({ options: { lastMessages: 4 } })
  const agent = agentOf(model, { space, onError: noErrors(t) }, {}, { memory })
  for (const text of ['I have a cat.', 'I live in Lisbon.', 'I have a cat.', 'Where do I live?'])
    await agent.generate(text, thread('t1'))
  assert.equal(
    callsOf(model)
      .at(-1)
      ?.prompt.filter(({ role }) => role !== 'system').length,
    5,
  )
  const context = systemOf(model).join('\n')
  assert.match(context, /I have a cat/)
  assert.doesNotMatch(context, /Lisbon/)
  assert.equal((await utterancesOf(space)).length, 8)
})

test('tools, other processors and rejected replies are not recorded', async (t) => {
  const space = await openSpace(t)
  const weather = createTool({
    id: 'weather',
    description: 'The weather.',
    inputSchema: z.object({}),
    execute: async () => 'rain',
  })
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: '{}' } as const
  const model = fakeModel([said('Let me look.'), call], [said('Go away.')], [said('It rains.')])
  const polite: InputProcessor = {
    id: 'polite',
    processInput: ({ messages, systemMessages }) => ({
      messages,
      systemMessages: [...systemMessages, { role: 'system', content: 'Be polite.' }],
    }),
  }
  const judge: OutputProcessor = {
    id: 'judge',
    processOutputStep: ({ messages, text, abort }) => (text === 'Go away.' ? abort('rude', { retry: true }) : messages),
  }
  const options = { space, conversation: 'chat', onError: noErrors(t) }
  const more = { tools: { weather }, maxProcessorRetries: 1 }
  const agent = agentOf(model, options, { input: [polite], output: [judge] }, more)
  await agent.generate('How is the weather?', { context: [{ role: 'user', content: 'The page: Lisbon.' }] })
  assert.match(systemOf(model).join('\n'), /Be polite\.(?:.|\n)*rude/)
  const expected = ['assistant: Let me look.\n\nIt rains.', 'user: How is the weather?']
  assert.deepEqual(await utterancesOf(space), expected)
})

test('processors that are made for each request keep the turns of several people apart', async (t) => {
  const space = await openSpace(t)
  const processorsOf = ({ requestContext }: { readonly requestContext: RequestContext }) => {
    const user = String(requestContext.get('user'))
    return [memoryProcessor({ space, user, conversation: `chat of ${user}`, onError: noErrors(t) })]
  }
  const agent = new Agent({
    id: 'guide',
    name: 'Guide',
    instructions: 'Be brief.',
    model: configOf(fakeModel([said('Hello.')], [said('Hello.')])),
    inputProcessors: processorsOf,
    outputProcessors: processorsOf,
  })
  const people = ['Maya', 'Tomas']
  await Promise.all(
    people.map((user) => agent.generate(`I am ${user}.`, { requestContext: new RequestContext([['user', user]]) })),
  )
  assert.equal((await utterancesOf(space)).length, 4)
  for (const user of people) {
    const { memories } = await space.list({ kind: 'utterance', conversation: `chat of ${user}` })
    assert.deepEqual(memories.map(({ text }) => text).toSorted(), [`${user}: I am ${user}.`, 'assistant: Hello.'])
  }
})

test('a call that waits for an approval is recorded once, after it', async (t) => {
  const space = await openSpace(t)
  const weather = createTool({
    id: 'weather',
    description: 'The weather.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: async () => 'rain',
  })
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: '{}' } as const
  const model = fakeModel([said('Let me look.'), call], [said('It rains.')])
  const agent = agentOf(model, { space, onError: noErrors(t) }, {}, { tools: { weather } })
  new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false })
  const waiting = await agent.stream('How is the weather?', thread('t1'))
  await waiting.consumeStream()
  assert.deepEqual(await utterancesOf(space), [])
  const approved = await agent.approveToolCall({ runId: waiting.runId, toolCallId: 'c1' })
  await approved.consumeStream()
  const expected = ['assistant: It rains.', 'assistant: Let me look.', 'user: How is the weather?']
  assert.deepEqual(await utterancesOf(space), expected)
})

test('a memory that fails leaves the reply as it is, and reports its errors', async (t) => {
  const space = await openSpace(t)
  const away = new Error('the memory is away')
  const fails = async () => {
    throw away
  }
  const errors: unknown[] = []
  const failing = { ...space, context: fails, add: fails }
  const options = { space: failing, conversation: 'chat', onError: (error: unknown) => errors.push(error) }
  const agent = agentOf(fakeModel([said('Hello.')], [said('Hello.')]), options)
  assert.equal((await agent.generate('Hi.')).text, 'Hello.')
  assert.equal(await (await agent.stream('Hi.')).text, 'Hello.')
  assert.deepEqual(errors, [away, away, away, away])
})

test('a call that fails or is aborted records nothing', async (t) => {
  const space = await openSpace(t)
  const add = async () => assert.fail('a turn without a reply was recorded')
  const options = { space: { ...space, add }, conversation: 'chat', onError: noErrors(t) }
  const failing = fakeModel()
  failing.doGenerate = async () => {
    throw new Error('overloaded')
  }
  await assert.rejects(agentOf(failing, options).generate('Hi.'), /overloaded/)
  const silent = fakeModel()
  silent.doStream = async () => ({
    stream: new ReadableStream({
      start(controller) {
        controller.enqueue({ type: 'text-start', id: '1' })
        controller.enqueue({ type: 'text-delta', id: '1', delta: 'Hel' })
      },
    }),
  })
  const abort = new AbortController()
  const reply = await agentOf(silent, options).stream('Hi.', { abortSignal: abort.signal })
  const types: string[] = []
  for await (const { type } of reply.fullStream) {
    types.push(type)
    if (type === 'text-delta') abort.abort()
  }
  assert.ok(types.includes('abort'), types.join())
})
