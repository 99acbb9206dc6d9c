/** The utterances of a space as a stream, from the moment at which each is appended. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryGateway } from '../fixture.ts'

async function served(t: Parameters<typeof temporaryGateway>[0]) {
  const { app } = await temporaryGateway(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const say = async (space: string, text: string, tenant = 'default') => {
    const headers = { 'content-type': 'application/json', 'x-loomlog-tenant': tenant }
    const body = JSON.stringify({ conversation: 'c', speaker: 'Ada', text, at: '2026-03-02T09:00:00Z' })
    const { status } = await fetch(`${url}/v1/spaces/${space}/utterances`, { method: 'POST', headers, body })
    assert.equal(status, 201)
  }
  return { url, say }
}

test('the stream has the utterances of its space alone, in the order of the log, and resumes at its offset', async (t) => {
  const { url, say } = await served(t)
  await say('home', 'The zebra sleeps.')
  await say('work', 'Of another space.')
  await say('home', 'Of another tenant.', 'acme')
  const first = await fetch(`${url}/v1/spaces/home/utterances`)
  const [only, ...others] = (await first.json()) as readonly object[]
  assert.deepEqual(others, [])
  const { id, appendedAt, ...words } = only as Record<string, unknown>
  assert.equal(typeof id, 'string')
  assert.equal(typeof appendedAt, 'number')
  assert.deepEqual(words, {
    kind: 'utterance',
    conversation: 'c',
    speaker: 'Ada',
    role: 'human',
    text: 'The zebra sleeps.',
    at: Date.UTC(2026, 2, 2, 9),
    attachments: [],
  })
  await say('home', 'It wakes.')
  const next = first.headers.get('stream-next-offset') ?? ''
  const rest = (await (await fetch(`${url}/v1/spaces/home/utterances?offset=${next}&live=long-poll`)).json()) as {
    text: string
  }[]
  assert.deepEqual(
    rest.map(({ text }) => text),
    ['It wakes.'],
  )
})

test('a live reader gets an utterance as soon as it is appended', async (t) => {
  const { url, say } = await served(t)
  await say('home', 'Before.')
  const ended = new AbortController()
  t.after(() => ended.abort())
  const reply = await fetch(`${url}/v1/spaces/home/utterances?offset=now&live=sse`, { signal: ended.signal })
  assert.equal(reply.headers.get('content-type'), 'text/event-stream')
  await say('home', 'The zebra wakes.')
  let text = ''
  for await (const part of (reply.body ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(part).toString()
    if (text.includes('zebra')) break
  }
  assert.doesNotMatch(text, /Before/)
})
