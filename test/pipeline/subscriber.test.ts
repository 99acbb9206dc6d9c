/**
 * A subscriber in another process than the server: agents append, a fact is corrected, a generation is promoted under it, and its connection is cut again and
 * again. In the end it has what recall reads.
 */
import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { eventually } from '../eventually.ts'
import { type Fixture, fixture } from './fixture.ts'
import { loomlog, start } from './loomlog.ts'
import { viewMemories } from './memory-feed.ts'

interface CloudEvent {
  readonly id: string
  readonly type: string
  readonly subject?: string
  readonly change?: 'inserted' | 'retracted'
  readonly generation: string
  readonly data: { readonly text?: string; readonly because?: string }
}

async function up(t: TestContext, made: Fixture): Promise<string> {
  const { process, finished } = start(['up', '--port', '0', '--json', '--dir', join(made.dir, 'log')], made.environment)
  t.after(() => process.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    process.stdout?.on('data', (data) => {
      const [, url] = /"url":"([^"]+)"/.exec(String(data)) ?? []
      if (url !== undefined) resolve(url)
    })
    void finished.then(({ stderr }) => reject(new Error(stderr)))
  })
}

/** Follows the feed of a space by SSE, cut off every few hundred milliseconds, and resumes after the last control event. */
function subscriber(t: TestContext, url: string) {
  const events: CloudEvent[] = []
  const over = new AbortController()
  let offset = '-1'
  const connection = async (signal: AbortSignal) => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const path = `${url}/v1/spaces/team/feed?offset=${offset}&live=sse`
      get(path, { agent: false, signal }, resolve).on('error', reject)
    })
    let text = ''
    let data: readonly CloudEvent[] = []
    for await (const part of response) {
      const frames = `${text}${part}`.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) {
        const line = frame.split('\ndata:')[1] ?? ''
        if (frame.startsWith('event: data')) data = JSON.parse(line) as readonly CloudEvent[]
        if (!frame.startsWith('event: control')) continue
        events.push(...data)
        data = []
        offset = (JSON.parse(line) as { streamNextOffset: string }).streamNextOffset
      }
    }
  }
  const work = (async () => {
    for (let cut = 0; !over.signal.aborted; cut++) {
      const signal = AbortSignal.any([over.signal, AbortSignal.timeout(50 + ((cut * 97) % 400))])
      await connection(signal).catch((error) => {
        if (!signal.aborted) throw error
      })
    }
  })()
  t.after(async () => {
    over.abort()
    await work
  })
  return events
}

test('a subscriber loses and doubles no event through a correction, a promotion and a rollback', async (t) => {
  const made = await fixture(t, 1, { LOOMLOG_PAUSE_MS: '1000', LOOMLOG_SPACE_PAUSE_MS: '1000' })
  const dir = join(made.dir, 'log')
  const url = await up(t, made)
  const events = subscriber(t, url)
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${url}/v1/spaces/team/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.equal(reply.status, 201, await reply.text())
  }
  const say = (speaker: string, text: string) =>
    post('utterances', { conversation: speaker, speaker, role: 'agent', at: new Date().toISOString(), text })
  const command = async (...args: string[]) => {
    const run = await loomlog([...args, '--dir', dir], made.environment)
    assert.equal(run.code, 0, run.stderr)
  }
  await Promise.all(
    ['Scout', 'Maya', 'Ben'].map((agent) => say(agent, `${agent} moved to Porto. The boat needs an engine.`)),
  )
  const facts = () => events.filter(({ type }) => type === 'loomlog.fact.recorded')
  await eventually(() => assert.ok(facts().length > 0))
  const wrong = facts()[0]
  await post('corrections', { action: 'retract', memory: wrong?.subject, by: 'Ada', role: 'human' })
  await eventually(() => {
    const retracted = events.find(
      ({ type, subject }) => type === 'loomlog.fact.retracted' && subject === wrong?.subject,
    )
    assert.equal(retracted?.data.because, 'corrected')
  })
  const switches = () => events.filter(({ type }) => type === 'loomlog.generation.switched')
  await command('generation', 'start', '--set', 'topic-loom.maxUtterances=2', '--name', 'short', '--wait')
  await command('generation', 'promote', 'short')
  await eventually(() => assert.equal(switches().length, 2))
  const sealed = () => events.filter(({ type }) => type === 'loomlog.topic.sealed')
  const before = sealed().length
  await say('Maya', 'Maya adopted a cat. The talk was accepted. My sister moved to Porto.')
  await command('generation', 'rollback')
  await eventually(() => assert.equal(switches().length, 3))
  await eventually(() => assert.ok(sealed().length > before))
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length, 'no event is doubled')
  const host = await openHost(configFrom({ ...made.environment, LOOMLOG_DIR: dir }))
  t.after(() => host.close())
  await eventually(async () => {
    const views = [...(await viewMemories(host, 'default/team')).keys()].map((key) => key.split('/')[1])
    assert.deepEqual([...live(events)].sort(), views.sort())
  })
})

/** The ids of the memories that hold. */
function live(events: readonly CloudEvent[]): ReadonlySet<string> {
  const held = new Set<string>()
  for (const { change, subject = '' } of events) {
    if (change === 'inserted') held.add(subject)
    if (change === 'retracted') held.delete(subject)
  }
  return held
}
