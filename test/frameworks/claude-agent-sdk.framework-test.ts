/** The hooks in the Claude Agent SDK: its own program, with a fake of Anthropic's API. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Options, query, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'
import { memoryHooks } from '@loomlog/adapters/claude-agent-sdk'
import { noErrors } from '../adapters/no-errors.ts'
import { openSpace } from '../adapters/open-space.ts'
import { utterancesOf } from '../adapters/recorded-utterances.ts'
import { type FakeAnthropic, fakeAnthropic, type Reply } from './fake-anthropic.ts'

type Hooks = NonNullable<Options['hooks']>

/** An endpoint, and options of a query with a home of its own. */
async function agent(t: TestContext, hooks: Hooks, ...replies: readonly Reply[]) {
  const home = await mkdtemp(join(tmpdir(), 'loomlog-agent-'))
  const api = await fakeAnthropic(...replies)
  t.after(async () => {
    await api[Symbol.asyncDispose]()
    await rm(home, { recursive: true, maxRetries: 3 })
  })
  const options = {
    hooks,
    cwd: home,
    model: 'claude-sonnet-4-5',
    settingSources: [],
    allowedTools: ['Bash'],
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'fake',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '0',
    },
  } satisfies Options
  return { api, options }
}

/** The session, and the results of its turns. */
async function ask(prompt: string | AsyncIterable<SDKUserMessage>, options: Options) {
  const results: string[] = []
  let session = ''
  for await (const message of query({ prompt, options })) {
    if (message.type !== 'result') continue
    session = message.session_id
    results.push(message.subtype === 'success' ? message.result : message.subtype)
  }
  return { session, results }
}

const message = (content: string): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
})

/** The texts of the last request that hooks have added. */
function contextsIn({ requests }: FakeAnthropic): readonly string[] {
  const { messages = [] } = requests.at(-1) ?? {}
  return [
    ...JSON.stringify(messages).matchAll(
      /(SessionStart|UserPromptSubmit) hook additional context: (.*?)<\/system-reminder>/g,
    ),
  ].map(([, event, text]) => `${event}: ${text}`)
}

test('a turn is remembered in the next session', async (t) => {
  const space = await openSpace(t)
  const hooks = memoryHooks({ space, user: 'Maya', agent: 'Guide', onError: noErrors(t) })
  const { api, options } = await agent(t, hooks, 'Noted, Lisbon.', 'In Lisbon.')
  const first = await ask('I live in Lisbon.', options)
  assert.deepEqual(first.results, ['Noted, Lisbon.'])
  assert.deepEqual(contextsIn(api), [])
  const second = await ask('Where do I live?', options)
  assert.notEqual(second.session, first.session)
  const [context = '', ...others] = contextsIn(api)
  assert.match(context, /^UserPromptSubmit: From the memory.*I live in Lisbon\./)
  assert.deepEqual(others, [])
  assert.deepEqual(await utterancesOf(space), [
    'Guide: In Lisbon.',
    'Guide: Noted, Lisbon.',
    'Maya: I live in Lisbon.',
    'Maya: Where do I live?',
  ])
})

test('a streamed session is recorded turn by turn, also when it is resumed, and its history is not in the context', async (t) => {
  const space = await openSpace(t)
  const hooks = () => memoryHooks({ space, onError: noErrors(t) })
  const { api, options } = await agent(t, hooks(), 'Noted, Lisbon.', 'A cat.', 'In Lisbon.')
  const answered = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  async function* prompts() {
    yield message('I live in Lisbon.')
    await answered[0].promise
    yield message('I have a cat.')
    await answered[1].promise
  }
  let session = ''
  let results = 0
  for await (const each of query({ prompt: prompts(), options: { ...options, includePartialMessages: true } })) {
    if (each.type !== 'result') continue
    session = each.session_id
    answered[results]?.resolve()
    results += 1
  }
  await ask('Where do I live?', { ...options, hooks: hooks(), resume: session })
  assert.deepEqual(contextsIn(api), [])
  assert.deepEqual(await utterancesOf(space), [
    'assistant: A cat.',
    'assistant: In Lisbon.',
    'assistant: Noted, Lisbon.',
    'user: I have a cat.',
    'user: I live in Lisbon.',
    'user: Where do I live?',
  ])
})

test('a compacted session gets a context of its own, and neither its summary nor the command is recorded', async (t) => {
  const space = await openSpace(t)
  const hooks = memoryHooks({ space, onError: noErrors(t) })
  const { api, options } = await agent(t, hooks, 'Noted, Lisbon.', '<summary>They greet.</summary>', 'In Lisbon.')
  const { session } = await ask('I live in Lisbon.', options)
  await ask('/compact', { ...options, resume: session })
  await ask('Where do I live?', { ...options, resume: session })
  assert.match(contextsIn(api).join('\n'), /SessionStart: From the memory.*I live in Lisbon\./)
  assert.deepEqual(await utterancesOf(space), [
    'assistant: In Lisbon.',
    'assistant: Noted, Lisbon.',
    'user: I live in Lisbon.',
    'user: Where do I live?',
  ])
})

test('tools, context of other hooks and the end of a command in the background are not recorded', async (t) => {
  const space = await openSpace(t)
  const hooks: Hooks = memoryHooks({ space, onError: noErrors(t) })
  const other = async () => ({
    hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Be brief.' } as const,
  })
  hooks.UserPromptSubmit?.push({ hooks: [other] })
  const bash = { tool: 'Bash', input: { command: 'echo built', run_in_background: true, description: 'build' } }
  const { api, options } = await agent(t, hooks, bash, 'It builds.', 'It is built.')
  const built = Promise.withResolvers<void>()
  async function* prompts() {
    yield message('Build it.')
    await Promise.race([built.promise, sleep(20_000, undefined, { ref: false })])
  }
  for await (const each of query({ prompt: prompts(), options }))
    if (each.type === 'result' && each.subtype === 'success' && each.result === 'It is built.') built.resolve()
  assert.match(JSON.stringify(api.requests.at(-1)), /task-notification/)
  assert.deepEqual(await utterancesOf(space), ['assistant: It builds.', 'assistant: It is built.', 'user: Build it.'])
})

test('a memory that fails leaves the reply as it is, and reports its errors', async (t) => {
  const space = await openSpace(t)
  const away = new Error('the memory is away')
  const fails = async () => {
    throw away
  }
  const errors: unknown[] = []
  const failing = { ...space, context: fails, add: fails }
  const hooks = memoryHooks({ space: failing, onError: (error) => errors.push(error) })
  const { options } = await agent(t, hooks, 'Hello.')
  assert.deepEqual((await ask('Hi.', options)).results, ['Hello.'])
  assert.deepEqual(errors, [away, away])
})

test('a call that fails or is aborted records nothing', async (t) => {
  const space = await openSpace(t)
  const add = async () => assert.fail('a turn without a reply was recorded')
  const hooks = memoryHooks({ space: { ...space, add }, onError: noErrors(t) })
  const failing = await agent(t, hooks, 'failure')
  await assert.rejects(ask('Hi.', failing.options), /refused/)
  const silent = await agent(t, hooks, 'silence')
  const abortController = new AbortController()
  const asked = ask('Hi.', { ...silent.options, abortController })
  const rejected = assert.rejects(asked, /aborted/)
  await silent.api.silenced
  abortController.abort()
  await rejected
})
