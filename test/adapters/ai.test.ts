/** The memory in the AI SDK, with the SDK's own fake of a model. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryMiddleware, memoryTools } from '@loomlog/adapters/ai'
import { generateText, isStepCount, type ModelMessage, streamText, wrapLanguageModel } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { failingModel, fakeModel, said } from './fake-language-model.ts'
import { noErrors } from './no-errors.ts'
import { openSpace } from './open-space.ts'
import { utterancesOf } from './recorded-utterances.ts'

const systemOf = ({ prompt }: { readonly prompt: readonly { readonly role: string; readonly content: unknown }[] }) =>
  prompt.flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join('\n')
const asking = { maxRetries: 0 } as const

for (const kind of ['generate', 'stream'] as const) {
  test(`a turn is remembered in the next one, without shared history (${kind})`, async (t) => {
    const space = await openSpace(t)
    const fake = fakeModel([said('Noted, Lisbon.')], [said('In Lisbon.')])
    const middleware = memoryMiddleware({ space, conversation: 'chat', user: 'Maya', onError: noErrors(t) })
    const model = wrapLanguageModel({ model: fake, middleware })
    const ask = async (prompt: string) =>
      kind === 'generate'
        ? (await generateText({ model, prompt, ...asking })).text
        : await streamText({ model, prompt, ...asking }).text
    assert.equal(await ask('I live in Lisbon.'), 'Noted, Lisbon.')
    assert.equal(await ask('Where do I live?'), 'In Lisbon.')
    const calls = kind === 'generate' ? fake.doGenerateCalls : fake.doStreamCalls
    assert.deepEqual(
      calls.map(({ prompt }) => prompt.at(-1)?.role),
      ['user', 'user'],
    )
    assert.equal(calls[0] && systemOf(calls[0]), '')
    assert.match(calls[1] ? systemOf(calls[1]) : '', /^From the memory(?:.|\n)*I live in Lisbon\./)
    assert.deepEqual(await utterancesOf(space), [
      'Maya: I live in Lisbon.',
      'Maya: Where do I live?',
      'assistant: In Lisbon.',
      'assistant: Noted, Lisbon.',
    ])
  })
}

test('a repeated call and a longer history add nothing twice, and the history is not in the context', async (t) => {
  const space = await openSpace(t)
  const fake = fakeModel([said('Noted.')], [said('Noted.')], [said('In Lisbon.')])
  const middleware = memoryMiddleware({ space, conversation: 'chat', onError: noErrors(t) })
  const model = wrapLanguageModel({ model: fake, middleware })
  const first: ModelMessage = { role: 'user', content: 'I live in Lisbon.' }
  await generateText({ model, messages: [first], ...asking })
  await generateText({ model, messages: [first], ...asking })
  const history: ModelMessage[] = [first, { role: 'assistant', content: 'Noted.' }]
  await generateText({
    model,
    instructions: 'Be brief.',
    messages: [...history, { role: 'user', content: 'Where do I live?' }],
    ...asking,
  })
  const [, , third] = fake.doGenerateCalls
  assert.equal(third && systemOf(third), 'Be brief.')
  const expected = ['assistant: In Lisbon.', 'assistant: Noted.', 'user: I live in Lisbon.', 'user: Where do I live?']
  assert.deepEqual(await utterancesOf(space), expected)
})

test('a turn with tools is recorded once, with the text of each step', async (t) => {
  const space = await openSpace(t)
  await space.add({ speaker: 'Maya', text: 'My cat is called Miso.' }, { conversation: 'earlier' })
  const call = (toolName: string, input: object) =>
    ({ type: 'tool-call', toolCallId: toolName, toolName, input: JSON.stringify(input) }) as const
  const fake = fakeModel(
    [said('Let me look.'), call('recall', { question: 'What is the cat called?' })],
    [call('remember', { text: 'I feed my cat at eight.' })],
    [said('Miso, at eight.')],
  )
  const middleware = memoryMiddleware({ space, conversation: 'chat', onError: noErrors(t) })
  const { text, steps } = await generateText({
    model: wrapLanguageModel({ model: fake, middleware }),
    tools: memoryTools(space, { agent: 'Guide' }),
    prompt: 'I feed my cat at eight. What is it called?',
    stopWhen: isStepCount(3),
    ...asking,
  })
  assert.equal(text, 'Miso, at eight.')
  assert.match(JSON.stringify(steps[0]?.toolResults), /Miso/)
  assert.match(JSON.stringify(steps[1]?.toolResults), /Stored/)
  assert.deepEqual(await utterancesOf(space), [
    'Guide: I feed my cat at eight.',
    'Maya: My cat is called Miso.',
    'assistant: Let me look.',
    'assistant: Miso, at eight.',
    'user: I feed my cat at eight. What is it called?',
  ])
})

test('a memory that fails leaves the reply as it is, and reports its errors', async (t) => {
  const space = await openSpace(t)
  const away = new Error('the memory is away')
  const fails = async () => {
    throw away
  }
  const errors: unknown[] = []
  const middleware = memoryMiddleware({
    space: { ...space, context: fails, add: fails },
    conversation: 'chat',
    onError: (error) => errors.push(error),
  })
  const model = wrapLanguageModel({ model: fakeModel([said('Hello.')], [said('Hello.')]), middleware })
  assert.equal((await generateText({ model, prompt: 'Hi.', ...asking })).text, 'Hello.')
  assert.equal(await streamText({ model, prompt: 'Hi.', ...asking }).text, 'Hello.')
  assert.deepEqual(errors, [away, away, away, away])
})

test('of a history that the memory has not seen, only the last turn is recorded', async (t) => {
  const space = await openSpace(t)
  const middleware = memoryMiddleware({ space, conversation: 'chat', onError: noErrors(t) })
  const model = wrapLanguageModel({ model: fakeModel([said('In Lisbon.')]), middleware })
  const history: ModelMessage[] = [
    { role: 'user', content: 'I live in Lisbon.' },
    { role: 'assistant', content: 'Noted.' },
  ]
  await generateText({ model, messages: [...history, { role: 'user', content: 'Where do I live?' }], ...asking })
  assert.deepEqual(await utterancesOf(space), ['assistant: In Lisbon.', 'user: Where do I live?'])
})

test('a call that the model fails records nothing', async (t) => {
  const space = await openSpace(t)
  const middleware = memoryMiddleware({
    space: { ...space, add: async () => assert.fail('a turn without a reply was recorded') },
    conversation: 'chat',
    onError: noErrors(t),
  })
  const fake = new MockLanguageModelV4({
    doGenerate: async () => {
      throw new Error('overloaded')
    },
  })
  const model = wrapLanguageModel({ model: fake, middleware })
  await assert.rejects(generateText({ model, prompt: 'Hi.', ...asking }), /overloaded/)
})

test('a reply that breaks off with an error is not recorded', async (t) => {
  const space = await openSpace(t)
  const middleware = memoryMiddleware({
    space: { ...space, add: async () => assert.fail('a failed reply was recorded') },
    conversation: 'chat',
    onError: noErrors(t),
  })
  const model = wrapLanguageModel({ model: failingModel(), middleware })
  await generateText({ model, prompt: 'Hi.', ...asking })
  await streamText({ model, prompt: 'Hi.', onError: () => {}, ...asking }).consumeStream()
})

test('the same words of two people in one conversation are recorded for each, with their replies', async (t) => {
  const space = await openSpace(t)
  const allergic = async (user: string) => {
    const middleware = memoryMiddleware({ space, conversation: 'team', user, onError: noErrors(t) })
    const model = wrapLanguageModel({ model: fakeModel([said('Noted.')]), middleware })
    await generateText({ model, prompt: 'I am allergic to nuts.', ...asking })
  }
  for (const user of ['Maya', 'Tom', 'Tom']) await allergic(user)
  assert.deepEqual(await utterancesOf(space), [
    'Maya: I am allergic to nuts.',
    'Tom: I am allergic to nuts.',
    'assistant: Noted.',
    'assistant: Noted.',
  ])
})

for (const kind of ['generate', 'stream'] as const)
  test(`texts of a message are on lines of their own, unless they are one sentence of a reply (${kind})`, async (t) => {
    const space = await openSpace(t)
    const middleware = memoryMiddleware({ space, conversation: 'chat', onError: noErrors(t) })
    const search = {
      type: 'tool-call',
      toolCallId: 'c1',
      toolName: 'web',
      input: '{}',
      providerExecuted: true,
    } as const
    const model = wrapLanguageModel({
      model: fakeModel([said('Let me look.'), search, said('In '), said('Lisbon.')]),
      middleware,
    })
    const parts = ['I live in Lisbon.', 'Where do I live?'].map((text) => ({ type: 'text', text }) as const)
    const messages: ModelMessage[] = [{ role: 'user', content: parts }]
    if (kind === 'generate') await generateText({ model, messages, ...asking })
    else await streamText({ model, messages, ...asking }).consumeStream()
    assert.deepEqual(await utterancesOf(space), [
      'assistant: Let me look.\n\nIn Lisbon.',
      'user: I live in Lisbon.\n\nWhere do I live?',
    ])
  })

test('memories that the application leaves out are left out beside the history', async (t) => {
  const space = await openSpace(t)
  const { ids } = await space.add({ speaker: 'user', text: 'I have lived in Porto.' }, { conversation: 'earlier' })
  const fake = fakeModel([said('Noted.')], [said('In Lisbon.')])
  const middleware = memoryMiddleware({ space, conversation: 'chat', context: { exclude: ids }, onError: noErrors(t) })
  const model = wrapLanguageModel({ model: fake, middleware })
  const first: ModelMessage[] = [{ role: 'user', content: 'I live in Lisbon.' }]
  await generateText({ model, messages: first, ...asking })
  const history: ModelMessage[] = [...first, { role: 'assistant', content: 'Noted.' }]
  await generateText({ model, messages: [...history, { role: 'user', content: 'Where do I live?' }], ...asking })
  assert.deepEqual(fake.doGenerateCalls.map(systemOf), ['', ''])
})

test('an onError that fails leaves the reply as it is', async (t) => {
  const space = await openSpace(t)
  const fails = async () => {
    throw new Error('the memory is away')
  }
  const handlers = [
    () => {
      throw new Error('so is the log')
    },
    async () => Promise.reject(new Error('so is the log')),
  ]
  for (const onError of handlers) {
    const middleware = memoryMiddleware({
      space: { ...space, context: fails, add: fails },
      conversation: 'chat',
      onError,
    })
    const model = wrapLanguageModel({ model: fakeModel([said('Hello.')]), middleware })
    assert.equal((await generateText({ model, prompt: 'Hi.', ...asking })).text, 'Hello.')
  }
})

test('a text that a model remembers is its own, not the words of the person', async (t) => {
  const space = await openSpace(t)
  const { remember } = memoryTools(space, { agent: 'Guide' })
  const options = { toolCallId: 'c1', messages: [], context: {} }
  assert.equal(await remember.execute?.({ text: 'I live in Lisbon.' }, options), 'Stored.')
  assert.deepEqual(await utterancesOf(space), ['Guide: I live in Lisbon.'])
  await space.end({ conversation: 'tools' })
  const { position } = await space.end()
  await space.recall('Lisbon', { after: position, reach: 'derived', wait: 30_000 })
  assert.deepEqual((await space.list({ kind: 'fact' })).memories, [])
  const { memories } = await space.list({ kind: 'utterance', conversation: 'tools' })
  assert.deepEqual(
    memories.map(({ role }) => role),
    ['agent'],
  )
})
