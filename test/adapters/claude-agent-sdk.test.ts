/** The hooks of the Claude Agent SDK, called with plain objects: `npm run test:frameworks` tests them in the SDK. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryHooks } from '@loomlog/adapters/claude-agent-sdk'
import { noErrors } from './no-errors.ts'
import { openSpace } from './open-space.ts'
import { utterancesOf } from './recorded-utterances.ts'

type Hooks = ReturnType<typeof memoryHooks>
type Input = Parameters<Hooks['Stop'][0]['hooks'][0]>[0]

/** Calls the hooks of an event, and gives the context that they add. */
async function fire(hooks: Hooks, event: keyof Hooks, input: Input): Promise<string> {
  const signal = AbortSignal.timeout(60_000)
  const outputs = await Promise.all(
    hooks[event].flatMap(({ hooks: callbacks }) => callbacks.map((hook) => hook(input, undefined, { signal }))),
  )
  return outputs.map(({ hookSpecificOutput: output }) => output?.additionalContext ?? '').join('')
}

/** A turn of a session: the prompts, and the reply. Gives the contexts. */
async function turn(hooks: Hooks, session: string, id: string, prompts: readonly string[], reply: string) {
  const event = { session_id: session, prompt_id: id }
  const contexts: string[] = []
  for (const prompt of prompts) contexts.push(await fire(hooks, 'UserPromptSubmit', { ...event, prompt }))
  contexts.push(await fire(hooks, 'Stop', { ...event, last_assistant_message: reply }))
  return contexts
}

test('a turn is remembered in the next session, and the context is not recorded', async (t) => {
  const space = await openSpace(t)
  const hooks = memoryHooks({ space, user: 'Maya', agent: 'Guide', onError: noErrors(t) })
  assert.deepEqual(await turn(hooks, 's1', 'p1', ['I live in Lisbon.'], 'Noted.'), ['', ''])
  const [context = ''] = await turn(hooks, 's2', 'p2', ['Where do I live?'], 'In Lisbon.')
  assert.match(context, /^From the memory(?:.|\n)*I live in Lisbon\./)
  assert.match(await fire(hooks, 'SessionStart', { session_id: 's3' }), /^From the memory(?:.|\n)*Lisbon/)
  const expected = ['Guide: In Lisbon.', 'Guide: Noted.', 'Maya: I live in Lisbon.', 'Maya: Where do I live?']
  assert.deepEqual(await utterancesOf(space), expected)
  const { memories } = await space.list({ kind: 'utterance', conversation: 's2' })
  assert.equal(memories.length, 2)
})

test('the history of the session is not in its context, in any process; a repeated event adds nothing', async (t) => {
  const space = await openSpace(t)
  const hooks = () => memoryHooks({ space, onError: noErrors(t) })
  for (let repeated = 0; repeated < 2; repeated += 1) await turn(hooks(), 's1', 'p1', ['I live in Lisbon.'], 'Noted.')
  assert.deepEqual(await turn(hooks(), 's1', 'p2', ['Where do I live?'], 'In Lisbon.'), ['', ''])
  const expected = ['assistant: In Lisbon.', 'assistant: Noted.', 'user: I live in Lisbon.', 'user: Where do I live?']
  assert.deepEqual(await utterancesOf(space), expected)
})

test('sessions of one conversation know each other', async (t) => {
  const space = await openSpace(t)
  const hooks = memoryHooks({ space, conversation: 'maya', onError: noErrors(t) })
  await turn(hooks, 's1', 'p1', ['I live in Lisbon.'], 'Noted.')
  const [context = ''] = await turn(hooks, 's2', 'p2', ['Where do I live?'], 'In Lisbon.')
  assert.match(context, /Lisbon/)
  assert.equal((await utterancesOf(space)).length, 4)
  assert.equal((await space.list({ kind: 'utterance', conversation: 'maya' })).memories.length, 4)
})

test('every prompt of a turn is recorded, but none of an aborted turn, of the SDK itself and of a subagent', async (t) => {
  const space = await openSpace(t)
  const hooks = memoryHooks({ space, onError: noErrors(t) })
  const event = { session_id: 's1', prompt_id: 'p1' }
  await fire(hooks, 'UserPromptSubmit', { ...event, prompt: 'Aborted.' })
  await turn(hooks, 's1', 'p3', ['<task-notification>\n</task-notification>'], 'It is built.')
  await fire(hooks, 'UserPromptSubmit', { ...event, prompt: 'Aborted, too.' })
  await turn(hooks, 's1', 'p2', ['How is the weather?', 'In Porto.'], 'Sunny.')
  await fire(hooks, 'UserPromptSubmit', { ...event, prompt_id: 'p4', source: 'system', prompt: 'Continue.' })
  await fire(hooks, 'UserPromptSubmit', { ...event, prompt_id: 'p4', agent_id: 'a1', prompt: 'Search.' })
  await fire(hooks, 'Stop', { ...event, prompt_id: 'p4', agent_id: 'a1', last_assistant_message: 'Searched.' })
  await fire(hooks, 'Stop', { ...event, prompt_id: 'p4', last_assistant_message: ' ' })
  const expected = ['assistant: It is built.', 'assistant: Sunny.', 'user: How is the weather?', 'user: In Porto.']
  assert.deepEqual(await utterancesOf(space), expected)
})

test('a failure of the memory is reported, and the prompt passes', async (t) => {
  const space = await openSpace(t)
  const away = new Error('the memory is away')
  const fails = async () => {
    throw away
  }
  const errors: unknown[] = []
  const failing = { ...space, context: fails, add: fails }
  const hooks = memoryHooks({ space: failing, onError: (error) => errors.push(error) })
  assert.deepEqual(await turn(hooks, 's1', 'p1', ['Hi.'], 'Hello.'), ['', ''])
  assert.equal(await fire(hooks, 'SessionStart', { session_id: 's1' }), '')
  assert.deepEqual(errors, [away, away, away])
})

test('turns of a session in parallel are recorded, each when it stops', async (t) => {
  const space = await openSpace(t)
  const hooks = memoryHooks({ space, onError: noErrors(t) })
  const event = (id: string) => ({ session_id: 's1', prompt_id: id })
  for (const id of ['p1', 'p2']) await fire(hooks, 'UserPromptSubmit', { ...event(id), prompt: `Question ${id}.` })
  for (const id of ['p1', 'p2']) await fire(hooks, 'Stop', { ...event(id), last_assistant_message: `Answer ${id}.` })
  const expected = ['assistant: Answer p1.', 'assistant: Answer p2.', 'user: Question p1.', 'user: Question p2.']
  assert.deepEqual(await utterancesOf(space), expected)
})

test('without ids of prompts, equal turns are recorded each time', async (t) => {
  const space = await openSpace(t)
  const hooks = memoryHooks({ space, onError: noErrors(t) })
  for (let repeated = 0; repeated < 2; repeated += 1) {
    await fire(hooks, 'UserPromptSubmit', { session_id: 's1', prompt: 'Yes.' })
    await fire(hooks, 'Stop', { session_id: 's1', last_assistant_message: 'Done.' })
  }
  assert.deepEqual(await utterancesOf(space), ['assistant: Done.', 'assistant: Done.', 'user: Yes.', 'user: Yes.'])
})

test('a context of few tokens with many characters is shortened below the limit of the SDK', async (t) => {
  const space = await openSpace(t)
  const boats = Array.from({ length: 40 }, (_, at) => `My boat ${at} lies in Lisbon. ${'-'.repeat(1_500)}`)
  await space.add(
    boats.map((text) => ({ speaker: 'Maya', text })),
    { conversation: 'boats' },
  )
  const { text } = await space.context('Where is my boat?', { budget: 1_500 })
  assert.ok(text.length > 10_000, `${text.length} characters`)
  for (const budget of [undefined, 3_000]) {
    const hooks = memoryHooks({ space, context: { budget }, onError: noErrors(t) })
    const context = await fire(hooks, 'UserPromptSubmit', { session_id: 's1', prompt: 'Where is my boat?' })
    assert.match(context, /My boat/)
    assert.ok(context.length < 10_000, `${context.length} characters`)
  }
})
