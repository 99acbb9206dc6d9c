/**
 * While a forgetting is under way, no route of the API gives a forgotten word: neither before the marker is in the log,
 * nor between the marker and the destruction of the records before it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendForgettingEvents, readForgettings } from '@loomlog/forgetting/forgettings'
import { rewriteSpace } from '@loomlog/forgetting/rewrite'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { statusEvent } from '../../packages/app/forgetting/job.ts'
import { append } from './forgetting-fixture.ts'
import { loomlog } from './loomlog.ts'
import { type Reply, type ServedMemory, servedMemory } from './served-memory.ts'

const home = '/v1/spaces/home'
/** In each text and name of what is forgotten, and in no other. */
const canary = /canary|mallory/i
const kinds = ['utterance', 'box', 'fact', 'entry', 'document', 'profile']

interface RouteRequest {
  readonly path: string
  /** Null: GET. */
  readonly body: object | null
  /** Whether the reply surely has a forgotten word before the forgetting. */
  readonly has: boolean
}

const get = (path: string, has = true): RouteRequest => ({ path, body: null, has })
const post = (path: string, body: object, has = true): RouteRequest => ({ path, body, has })

function line(n: number, conversation: string, speaker: string, text: string) {
  return { id: `${speaker}-${n}`, conversation, speaker, at: `2026-03-01T09:00:${10 + n}Z`, text }
}

async function say(memory: ServedMemory, conversation: string, lines: readonly object[]): Promise<void> {
  await memory.post(`${home}/utterances`, lines)
  await memory.post(`${home}/conversations/${conversation}/end`, {})
  await memory.settle('home')
}

/** A memory of two speakers. One parked input may be retried, and the other repeats a forgotten utterance. */
async function twoSpeakers(memory: ServedMemory): Promise<void> {
  await say(memory, 'a', [line(0, 'a', 'Maya', 'I live in Porto.'), line(1, 'a', 'Mallory', 'I live in Canarytown.')])
  await say(memory, 'canary-talk', [line(2, 'canary-talk', 'Mallory', 'I own a canary boat.')])
  memory.endpoint.setScript(Array.from({ length: 100 }, () => ({ fault: 'refusal' as const })))
  await say(memory, 'p', [line(3, 'p', 'Mallory', 'I park in Canarypark.'), line(4, 'p', 'Maya', 'I park in Faro.')])
  memory.endpoint.setScript([])
  const conflict = line(1, 'a', 'Mallory', 'I live in another Canarytown.')
  await append(memory.host, [utteranceFrom(conflict, { tenant: 'default', space: 'home' }, Date.now())])
  await memory.settle('home')
}

interface MemoryList {
  readonly memories: readonly { readonly id: string }[]
}

/** Every route that gives words of a space. */
async function routes(memory: ServedMemory): Promise<readonly RouteRequest[]> {
  const ofIds: RouteRequest[] = []
  for (const kind of kinds) {
    const { memories } = await memory.get<MemoryList>(`${home}/memories?kind=${kind}&limit=100`)
    const { id } = memories.find((each) => canary.test(JSON.stringify(each))) ?? assert.fail(`no ${kind} is a canary`)
    const at = `${home}/memories/${encodeURIComponent(id)}`
    ofIds.push(get(at), get(`${at}/history`, false), get(`${at}/why`), get(`${at}/impact`, false))
    if (kind === 'document') ofIds.push(get(`${home}/documents/${id}`))
    if (kind === 'fact') {
      const why = JSON.stringify(await memory.get(`${at}/why`))
      const [, key = assert.fail(why)] = /"key":"([0-9a-f]+)"/.exec(why) ?? []
      ofIds.push(get(`${home}/answers/${key}`), post(`${home}/corrections`, { action: 'pin', memory: id, by: 'Ines' }))
    }
  }
  const { parked } = await memory.get<{ parked: readonly { id: string; code: string }[] }>('/v1/parked')
  const inputs = parked.flatMap(({ id, code }) => [
    get(`/v1/parked/${id}`, code === 'conflict'),
    post(`/v1/parked/${id}/retry`, { by: 'Ines' }, false),
  ])
  assert.equal(inputs.length, 4)
  return [
    ...ofIds,
    ...kinds.flatMap((kind) => [get(`${home}/memories?kind=${kind}`), get(`${home}/memories?kind=${kind}&state=all`)]),
    get(home, false),
    get(`${home}/conversations`),
    get(`${home}/utterances`),
    get(`${home}/feed`),
    get('/v1/feed'),
    get(`${home}/context`),
    get(`${home}/context?query=Where+is+the+boat`),
    get(`${home}/recall?query=Where+is+the+boat`),
    get(`${home}/recall?query=boat&knownAt=2099-01-01`),
    get(`${home}/recall?query=boat&explain=yes`),
    get(`${home}/profiles/Mallory`),
    post(`${home}/recall`, { query: 'Where is the boat?' }),
    post(`${home}/tools/lexical_search`, { query: 'boat' }),
    post(`${home}/tools/exact_pattern`, { pattern: 'anary' }),
    post(`${home}/tools/browse_ids`, {}),
    post(`${home}/retractions`, { from: '2026-01-01', by: 'Ines', dryRun: true }),
    post(`${home}/forgettings`, { from: '2026-01-01', by: 'Ines', preview: true }, false),
    post('/v1/generations/plan', { set: ['topic-loom.maxUtterances=3'] }, false),
    post('/v1/generations/compare', { before: 'live', after: 'live' }, false),
    get('/v1/parked', false),
    ...inputs,
  ]
}

/** The words of a reply: without those that the request has, and with those of bytes in base64. */
function words({ text }: Reply, { path }: RouteRequest): string {
  const asked = path.split(/[/?]/).map(decodeURIComponent)
  const said = asked.reduce((rest, each) => (each === '' ? rest : rest.replaceAll(each, '')), text)
  const [, bytes = ''] = /"value":"([^"]*)"/.exec(text) ?? []
  return `${said} ${Buffer.from(bytes, 'base64').toString('latin1')}`
}

async function assertSilent(memory: ServedMemory, asked: readonly RouteRequest[], when: string): Promise<void> {
  for (const each of asked) {
    const reply = await memory.reply(each.path, each.body ?? undefined)
    assert.ok(reply.status < 500 || /views-behind/.test(reply.text), `${when}: ${each.path} ${reply.text}`)
    assert.doesNotMatch(words(reply, each), canary, `${when}: ${each.path}`)
    assert.doesNotMatch(reply.text, /there is no space/, `${when}: the space is known`)
  }
  const on = { ...memory.environment }
  for (const topic of [
    'utterances',
    'topic-shifts',
    'facts',
    'consolidations',
    'completions',
    'parked',
    'forgettings',
    'memory-events',
  ]) {
    const tail = await loomlog(['tail', topic], on)
    assert.equal(tail.code, 0, tail.stderr)
    assert.doesNotMatch(tail.stdout, canary, `${when}: tail ${topic}`)
  }
  const archive = ['export', '--as', 'archive', '--space', 'home', '--to', `${memory.dir}/home.gz`]
  const refused = await loomlog(archive, on)
  assert.deepEqual([refused.code, /a forgetting is under way/.test(refused.stderr)], [1, true], refused.stderr)
}

test('while a forgetting is under way, no route and no tail of a topic gives a forgotten word', async (t) => {
  const memory = await servedMemory(t, { forgettings: 'requested' })
  await twoSpeakers(memory)
  const asked = await routes(memory)
  for (const each of asked.filter(({ path }) => !/corrections|retry/.test(path))) {
    const reply = await memory.reply(each.path, each.body ?? undefined)
    assert.equal(reply.status < 300 || /impact/.test(each.path), true, `${each.path} ${reply.text}`)
    if (each.has) assert.match(words(reply, each), canary, each.path)
  }
  await memory.post(`${home}/forgettings`, { speaker: 'Mallory', by: 'Ines', preview: false })
  await assertSilent(memory, asked, 'requested')

  const [state] = await readForgettings('default/home', memory.host)
  assert.ok(state?.request)
  await rewriteSpace(state.request, 0, memory.host)
  await assertSilent(memory, asked, 'the marker is in the log')
  await appendForgettingEvents([statusEvent(state, 'rewritten', { kept: 1, markers: 1 })], memory.host)
  await memory.settle('home')
  await assertSilent(memory, asked, 'the views have passed the marker')
  await appendForgettingEvents([statusEvent(state, 'listed', {})], memory.host)
  await assertSilent(memory, asked, 'the records are listed')
  const { text } = await memory.reply(`${home}/memories?kind=fact`)
  assert.match(text, /Porto/)
  const { changes } = await memory.get<{ changes: readonly unknown[] }>(`${home}/memories/Maya-0/history`)
  assert.equal(changes.length, 1, 'a history begins at the marker')
})
