/** The processor of Mastra, driven by plain objects: `npm run test:frameworks` tests it in Mastra. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryProcessor, type ProcessorOptions } from '@loomlog/adapters/mastra'
import { noErrors } from './no-errors.ts'
import { openSpace } from './open-space.ts'
import { utterancesOf } from './recorded-utterances.ts'

interface FakeMessage {
  readonly id: string
  readonly role: string
  readonly threadId?: string
  readonly content: { readonly parts: readonly { readonly type: string; readonly text?: string }[] }
}

let made = 0
/** A message with an id of its own, as Mastra makes one for each input. */
function message(role: string, text: string, place: Partial<FakeMessage> = {}): FakeMessage {
  made += 1
  return { id: `m${made}`, role, content: { parts: [{ type: 'text', text }] }, ...place }
}

/** One call of an agent, and the system messages that were added. */
async function call(
  options: ProcessorOptions,
  prompt: readonly FakeMessage[],
  reply: readonly FakeMessage[],
  finishReason = 'stop',
): Promise<readonly string[]> {
  const processor = memoryProcessor(options)
  const state = {}
  const added: string[] = []
  const addSystem = (text: string, tag: string) => added.push(`${tag}: ${text}`)
  const messageList = { addSystem, get: { all: { db: () => [] } } }
  assert.equal(await processor.processInput({ messages: prompt, messageList, state }), messageList)
  const messages = [...reply]
  assert.equal(
    await processor.processOutputResult({ messages, messageList, state, result: { finishReason } }),
    messages,
  )
  return added
}

test('a turn is remembered in the next thread, and the context is not recorded', async (t) => {
  const space = await openSpace(t)
  const options = { space, user: 'Maya', agent: 'Guide', onError: noErrors(t) }
  const [first, second] = [{ threadId: 't1' }, { threadId: 't2' }]
  const lisbon = [message('user', 'I live in Lisbon.', first)]
  assert.deepEqual(await call(options, lisbon, [message('assistant', 'Noted.', first)]), [])
  const prompt = [message('system', 'Be brief.', second), message('user', 'Where do I live?', second)]
  const added = await call(options, prompt, [message('assistant', 'In Lisbon.', second)])
  assert.equal(added.length, 1)
  assert.match(added[0] ?? '', /^loomlog: From the memory(?:.|\n)*I live in Lisbon\./)
  const expected = ['Guide: In Lisbon.', 'Guide: Noted.', 'Maya: I live in Lisbon.', 'Maya: Where do I live?']
  assert.deepEqual(await utterancesOf(space), expected)
  const { memories } = await space.list({ kind: 'utterance', conversation: 't2' })
  assert.equal(memories.length, 2)
})

test('without a thread a repeated call adds nothing, and the history is not in the context', async (t) => {
  const space = await openSpace(t)
  const options = { space, conversation: 'chat', onError: noErrors(t) }
  const turn = () => [message('user', 'I live in Lisbon.'), message('assistant', 'Noted.')]
  await call(options, turn().slice(0, 1), turn().slice(1))
  await call(options, turn().slice(0, 1), turn().slice(1))
  const added = await call(
    options,
    [message('system', 'Be brief.'), ...turn(), message('user', 'Where?')],
    [message('user', 'Feedback of a processor.'), message('assistant', 'In Lisbon.')],
  )
  assert.deepEqual(added, [])
  const expected = ['assistant: In Lisbon.', 'assistant: Noted.', 'user: I live in Lisbon.', 'user: Where?']
  assert.deepEqual(await utterancesOf(space), expected)
})

test('in a thread the same words are recorded each time, and a history without its beginning is recognized', async (t) => {
  const space = await openSpace(t)
  const options = { space, onError: noErrors(t) }
  const threadId = 't1'
  const [first, second] = [
    message('user', 'I took my pills.', { threadId }),
    message('assistant', 'Your pills, good.', { threadId }),
  ]
  await call(options, [first], [second])
  const again = message('user', 'I took my pills.', { threadId })
  assert.deepEqual(await call(options, [first, second, again], [message('assistant', 'Well.', { threadId })]), [])
  const expected = [
    'assistant: Well.',
    'assistant: Your pills, good.',
    'user: I took my pills.',
    'user: I took my pills.',
  ]
  assert.deepEqual(await utterancesOf(space), expected)
  const [context = ''] = await call(options, [second, again], [], 'aborted')
  assert.match(context, /I took my pills/)
  assert.doesNotMatch(context, /good/)
})

test('a reply in steps is one utterance of its texts', async (t) => {
  const space = await openSpace(t)
  const parts = [
    { type: 'step-start' },
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Let me ' },
    { type: 'text', text: 'look.' },
    { type: 'tool-invocation' },
    { type: 'step-start' },
    { type: 'text', text: 'Sunny.' },
  ]
  const reply = message('assistant', '', { content: { parts } })
  await call({ space, conversation: 'chat', onError: noErrors(t) }, [message('user', 'Weather?')], [reply])
  assert.deepEqual(await utterancesOf(space), ['assistant: Let me look.\n\nSunny.', 'user: Weather?'])
})

test('a suspended call is recorded when it has continued and ended', async (t) => {
  const space = await openSpace(t)
  const threadId = 't1'
  const all = ['Hi.', 'How is the weather?'].map((text) => message('user', text, { threadId }))
  const messages = [message('assistant', 'Sunny.', { threadId })]
  const messageList = { addSystem: () => undefined, get: { all: { db: () => [...all, ...messages] } } }
  const processor = memoryProcessor({ space, onError: noErrors(t) })
  await processor.processOutputResult({ messages, messageList, state: {}, result: { finishReason: 'stop' } })
  assert.deepEqual(await utterancesOf(space), ['assistant: Sunny.', 'user: How is the weather?'])
})

test('a call that fails or is aborted records nothing', async (t) => {
  const space = await openSpace(t)
  const add = async () => assert.fail('a turn without a reply was recorded')
  const options = { space: { ...space, add }, conversation: 'chat', onError: noErrors(t) }
  for (const reason of ['error', 'aborted', 'tripwire'])
    await call(options, [message('user', 'Hi.')], [message('assistant', 'Hel')], reason)
})

test('a failure of the memory is reported, and so is a call without a conversation', async (t) => {
  const space = await openSpace(t)
  const away = new Error('the memory is away')
  const fails = async () => {
    throw away
  }
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const turn = [[message('user', 'Hi.')], [message('assistant', 'Hello.')]] as const
  const failing = { ...space, context: fails, add: fails }
  assert.deepEqual(await call({ space: failing, conversation: 'chat', onError }, ...turn), [])
  assert.deepEqual(errors, [away, away])
  await call({ space, onError }, ...turn)
  assert.match(String(errors[2]), /conversation: undefined; expected a name, or a thread/)
})

test('the same words of two people in one conversation are recorded for each, with their replies', async (t) => {
  const space = await openSpace(t)
  for (const user of ['Maya', 'Tom', 'Tom']) {
    const options = { space, user, conversation: 'team', onError: noErrors(t) }
    await call(options, [message('user', 'I am allergic to nuts.')], [message('assistant', 'Noted.')])
  }
  assert.deepEqual(await utterancesOf(space), [
    'Maya: I am allergic to nuts.',
    'Tom: I am allergic to nuts.',
    'assistant: Noted.',
    'assistant: Noted.',
  ])
})

test('the texts of a person are on lines of their own', async (t) => {
  const space = await openSpace(t)
  const parts = ['I live in Lisbon.', 'Where do I live?'].map((text) => ({ type: 'text', text }))
  const options = { space, conversation: 'chat', onError: noErrors(t) }
  await call(options, [message('user', '', { content: { parts } })], [message('assistant', 'In Lisbon.')])
  assert.deepEqual(await utterancesOf(space), ['assistant: In Lisbon.', 'user: I live in Lisbon.\n\nWhere do I live?'])
})
