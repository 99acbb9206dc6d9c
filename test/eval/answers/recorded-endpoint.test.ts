import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AnswerStore, type ChatRequest, recordingName, requestHash } from './answer-store.ts'
import { startRecordedEndpoint } from './recorded-endpoint.ts'
import { RelayFolder, readableRequest } from './relay-folder.ts'

const request = (input: string, prompt = 'Find facts.'): ChatRequest => ({
  messages: [
    { role: 'system', content: prompt },
    { role: 'user', content: JSON.stringify(input) },
  ],
  response_format: { type: 'json_schema', json_schema: { name: 'extract-facts', schema: { type: 'object' } } },
})

async function folders(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-answers-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  return { recorded: join(dir, 'recorded'), relay: join(dir, 'relay') }
}

async function post(baseUrl: string, body: ChatRequest) {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', ...body }),
  })
  const reply = (await response.json()) as {
    readonly choices?: readonly { readonly message: { readonly content: string } }[]
    readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number }
  }
  return { status: response.status, content: reply.choices?.[0]?.message.content ?? null, usage: reply.usage }
}

async function filesOf(folder: string, count: number): Promise<readonly string[]> {
  while (true) {
    const files = (await readdir(folder)).filter((file) => file.endsWith('.req.json'))
    if (files.length >= count) return files.sort()
    await sleep(5)
  }
}

test('a request is identified by its messages and the form of its answer', () => {
  assert.equal(requestHash(request('a')), requestHash(structuredClone(request('a'))))
  assert.notEqual(requestHash(request('a')), requestHash(request('b')))
  assert.notEqual(requestHash(request('a')), requestHash({ messages: request('a').messages }))
})

test('a changed prompt begins a new file of recorded answers', () => {
  assert.match(recordingName(request('a')), /^extract-facts-[0-9a-f]{8}$/)
  assert.equal(recordingName(request('a')), recordingName(request('b')))
  assert.notEqual(recordingName(request('a')), recordingName(request('a', 'Find more facts.')))
})

test('requests wait side by side for the relay folder, and their answers are replayed without it', async (t) => {
  const { recorded, relay } = await folders(t)
  const options = { onProgress() {} }
  const endpoint = await startRecordedEndpoint({
    store: new AnswerStore(recorded),
    relay: new RelayFolder(relay, { pollMs: 5 }),
    ...options,
  })
  const replies = ['a', 'b'].map((input) => post(endpoint.baseUrl, request(input)))
  const files = await filesOf(relay, 2)
  assert.equal(endpoint.counts().waiting, 2)
  for (const file of files) {
    const { messages } = JSON.parse(await readFile(join(relay, file), 'utf8')) as ChatRequest
    await writeFile(join(relay, file.replace('.req.json', '.ans.txt')), `not JSON: ${messages[1]?.content}\n`)
  }
  assert.deepEqual(
    (await Promise.all(replies)).map(({ content }) => content),
    ['not JSON: "a"', 'not JSON: "b"'],
  )
  assert.deepEqual(endpoint.counts(), { asked: 2, recorded: 0, relayed: 2, waiting: 0 })
  await endpoint.close()

  const replay = await startRecordedEndpoint({ store: new AnswerStore(recorded), relay: null, ...options })
  const { content, usage } = await post(replay.baseUrl, request('a'))
  assert.equal(content, 'not JSON: "a"')
  assert.ok((usage?.prompt_tokens ?? 0) > 5 && (usage?.completion_tokens ?? 0) > 3)
  assert.equal((await post(replay.baseUrl, request('c'))).status, 503)
  await assert.rejects(replay.missing, /extract-facts-[0-9a-f]{8} has no recorded answer/)
  await replay.close()
})

test('a request keeps its number in the relay folder after a restart, and later ones get the next', async (t) => {
  const { relay } = await folders(t)
  const stopped = new AbortController()
  const waits = new RelayFolder(relay, { pollMs: 5 }).ask(request('a'), stopped.signal)
  await filesOf(relay, 1)
  stopped.abort()
  await assert.rejects(waits)
  await writeFile(join(relay, '0001.ans.txt'), '{"rows":[]}\n')
  const again = new RelayFolder(relay, { pollMs: 5 })
  const signal = AbortSignal.timeout(5_000)
  assert.equal(await again.ask(request('a'), signal), '{"rows":[]}')
  const other = again.ask(request('b'), signal)
  await writeFile(join(relay, '0002.ans.txt'), 'b')
  assert.equal(await other, 'b')
})

test('a readable request shows the text of an input without escapes', () => {
  assert.equal(
    readableRequest(request('one\ntwo "2"')),
    '--- system\nFind facts.\n--- user\none\ntwo "2"\n--- schema of the answer\n{"type":"object"}\n',
  )
})
