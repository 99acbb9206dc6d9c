/** The list of live readers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/within-seconds.ts'
import { temporaryGateway } from '../fixture.ts'

test('a live reader is listed for its tenant with what it got, until it leaves', async (t) => {
  const { app } = await temporaryGateway(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const say = async (text: string) => {
    const payload = { conversation: 'c', speaker: 'Ada', text, at: '2026-03-02T09:00:00Z' }
    await app.inject({ method: 'POST', url: '/v1/spaces/home/utterances', payload })
  }
  const listed = async (tenant = 'default') =>
    (await app.inject({ url: '/v1/subscribers', headers: { 'x-loomlog-tenant': tenant } })).json().subscribers
  assert.deepEqual(await listed(), [])
  await say('The zebra sleeps.')
  const leaves = new AbortController()
  t.after(() => leaves.abort())
  await fetch(`${url}/v1/spaces/home/utterances?offset=-1&live=sse`, { signal: leaves.signal })
  const polled = fetch(`${url}/v1/feed?offset=now&live=long-poll`, { signal: leaves.signal })
  polled.catch(() => {})
  await until(async () => (await listed()).length === 2, 'both readers are listed')
  await say('It wakes.')
  await until(async () => (await listed())[0].messages === 2, 'the second utterance is given')
  const [stream, poll] = (await listed()) as readonly Record<string, unknown>[]
  const { id, since, ...shown } = stream ?? {}
  assert.ok(typeof since === 'number' && Date.now() - since < 60_000)
  assert.deepEqual(
    [id, shown],
    [
      1,
      {
        name: 'local',
        tenant: 'default',
        space: 'home',
        topic: 'utterances',
        live: 'sse',
        messages: 2,
        isUpToDate: true,
      },
    ],
  )
  assert.deepEqual([poll?.space, poll?.topic, poll?.live, poll?.messages], [null, 'memory-events', 'long-poll', 0])
  assert.deepEqual(await listed('other'), [])
  leaves.abort()
  await until(async () => (await listed()).length === 0, 'both readers have left')
})
