/** The memory in the AI SDK, with the SDK's own fake of a model. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryMiddleware, memoryTools } from '@loomlog/adapters/ai'
import { generateText, isStepCount, type ModelMessage, streamText, wrapLanguageModel } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { fakeModel, said } from './fake-language-model.ts'
import { openSpace } from './open-space.ts'
import { utterancesOf } from './recorded-utterances.ts'

const systemOf = ({ prompt }: { readonly prompt: readonly { readonly role: string; readonly content: unknown }[] }) =>
  prompt.flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join('\n')
const asking = { maxRetries: 0 } as const

for (const kind of ['generate', 'stream'] as const) {
  test(`a turn is remembered in the next one, without shared history (${kind})`, async (t) => {
    const space = await openSpace(t)
    const fake = fakeModel([said('Noted, Lisbon.')], [said('In Lisbon.')])
    const middleware = memoryMiddleware({ space, conversation: 'chat', user: 'Maya', onError: assert.ifError })
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
  const middleware = memoryMiddleware({ space, conversation: 'chat', onError: assert.ifError })
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
  const middleware = memoryMiddleware({ space, conversation: 'chat', onError: assert.ifError })
  const { text, steps } = await generateText({
    model: wrapLanguageModel({ model: fake, middleware }),
    tools: memoryTools(space, { user: 'Maya' }),
    prompt: 'I feed my cat at eight. What is it called?',
    stopWhen: isStepCount(3),
    ...asking,
  })
  assert.equal(text, 'Miso, at eight.')
  assert.match(JSON.stringify(steps[0]?.toolResults), /Miso/)
  assert.match(JSON.stringify(steps[1]?.toolResults), /Stored/)
  assert.deepEqual(await utterancesOf(space), [
    'Maya: I feed my cat at eight.',
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
  const middleware = memoryMiddleware({ space, conversation: 'chat', onError: assert.ifError })
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
    onError: assert.ifError,
  })
  const fake = new MockLanguageModelV4({
    doGenerate: async () => {
      throw new Error('overloaded')
    },
  })
  const model = wrapLanguageModel({ model: fake, middleware })
  await assert.rejects(generateText({ model, prompt: 'Hi.', ...asking }), /overloaded/)
})
