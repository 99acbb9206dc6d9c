/**
 * Commands and routes against one running server. `loomlog up` derives the memory by rules, and commands reach it by
 * --url. Each reply of a route fits the schema that the route declares.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { eventually } from '../eventually.ts'
import {
  assertRefused,
  assertSucceeded,
  type CommandFixture,
  commandFixture,
  jsonLines,
  utteranceLine,
} from './fixture.ts'

interface ApiDocument {
  readonly components: object
  readonly paths: { readonly [path: string]: { readonly [method: string]: { readonly responses: Responses } } }
}
interface Responses {
  readonly [status: string]: { readonly content?: { readonly [mediaType: string]: { readonly schema: object } } }
}

const document: ApiDocument = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'))
/** Routes whose replies have no field that the document lacks. */
const isDescribedWhole = /\/(recall|context|tools|corrections|retractions|memories|why|impact)\b/
const components = closed(document.components)
const ajv = new Ajv2020({ strict: false })

describe('a server', () => {
  let place: CommandFixture
  let url: string

  before(async () => {
    place = await commandFixture()
    const running = place.start('up', '--port', '0', '--json')
    const [started] = (await once(running.process.stdout as Readable, 'data')) as [Buffer]
    url = JSON.parse(started.toString()).url
  })
  after(() => place.remove())

  const run = (...args: readonly string[]) => place.run(...args, '--url', url, '--json')
  async function done(...args: readonly string[]) {
    const ended = await run(...args)
    assertSucceeded(ended)
    return JSON.parse(ended.stdout)
  }
  /** The reply of a route. Asserts that it fits the route's schema. */
  async function reply(
    method: 'GET' | 'POST',
    template: string,
    values: readonly string[] = [],
    body?: object,
    query = '',
  ) {
    let at = 0
    const path = template.replaceAll(/\{\w+\}/g, () => encodeURIComponent(values[at++] ?? ''))
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = await fetch(`${url}${path}${query}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const json = JSON.parse(await sent.text())
    const schema =
      document.paths[template]?.[method.toLowerCase()]?.responses[sent.status]?.content?.['application/json']
    assert.ok(schema, `${method} ${template} has no reply ${sent.status}: ${JSON.stringify(json)}`)
    const described = isDescribedWhole.test(template) ? closed(schema.schema) : schema.schema
    assert.equal(faultIn(json, described), null, `${template}: ${JSON.stringify(json)}`)
    return json
  }

  test('accepts a file, and derives facts and profiles from it', async () => {
    const texts = ['I live in Lisbon.', 'I work at Acme as an engineer.', 'My sister Ana moved to Porto in January.']
    const file = await place.file('chat.jsonl', texts.map((text, n) => utteranceLine({ id: `u${n}`, text })).join(''))
    const { appended } = await done('ingest', file)
    // The utterances, the pause of their conversation, and that of the space.
    assert.equal(appended, texts.length + 2)
    assert.equal((await done('ingest', file)).known, texts.length + 2)
    await eventually(async () => assert.ok((await reply('GET', '/v1/spaces/{space}', ['default'])).counts.entry > 0))
    const wait = await reply(
      'POST',
      '/v1/spaces/{space}/utterances',
      ['other'],
      JSON.parse(utteranceLine()),
      '?wait=in-views',
    )
    assert.equal(wait.reached, 'in-views')
  })

  test('answers recall, why, impact and the tools as the command line on a log does', async () => {
    const recalled = await done('recall', 'Where does Maya live?', '--kind', 'fact', '--limit', '1')
    const [fact] = recalled.memories
    assert.match(fact.text, /Lisbon/)
    const local = await place.run('recall', 'Where does Maya live?', '--kind', 'fact', '--limit', '1', '--json')
    assert.equal(JSON.parse(local.stdout).memories[0].id, fact.id)
    const text = await place.run('recall', 'Where does Maya live?', '--explain', '--url', url)
    assert.match(text.stdout, /Lisbon/)
    const why = await done('why', fact.id)
    assert.deepEqual(why, jsonLines(await place.run('why', fact.id, '--json'))[0])
    const { counts } = await done('impact', 'u0')
    assert.ok(JSON.stringify(counts).includes('"fact"'), JSON.stringify(counts))
    assert.ok((await done('tools', 'exact_pattern', '{"pattern": "Lisbon"}')).lines.length > 0)
    const of = ['default', fact.id]
    for (const what of ['', '/why', '/impact', '/history'])
      await reply('GET', `/v1/spaces/{space}/memories/{id}${what}`, of)
    const { changes } = await reply('GET', '/v1/spaces/{space}/memories/{id}/history', of)
    assert.deepEqual(changes[0].change, 'written')
    const history = '/v1/spaces/{space}/memories/{id}/history'
    const paged: unknown[] = []
    for (let query = '?limit=1'; ; ) {
      const page = await reply('GET', history, of, undefined, query)
      paged.push(...page.changes)
      if (page.next === null) break
      query = `?limit=1&cursor=${page.next}`
    }
    assert.deepEqual(paged, changes)
  })

  test('gives no field that the description of the API lacks', async () => {
    const recall = (body: object) => reply('POST', '/v1/spaces/{space}/recall', ['default'], body)
    const query = 'Where does Maya live?'
    const explained = await recall({ query, explain: true, answer: true, limit: 1 })
    assert.ok(explained.candidates[0].contributions.length > 0)
    assert.ok(explained.leftOut.length > 0)
    assert.match(explained.answer.why, /no model/)
    for (const kind of ['utterance', 'box', 'fact', 'event', 'document', 'profile']) await recall({ query, kind })
    assert.match((await recall({ query, understanding: 'model' })).understood.note, /no model/)
    assert.ok((await recall({ query, speaker: 'Mayo' })).notices.length > 0)
    const context = await reply('POST', '/v1/spaces/{space}/context', ['default'], { query })
    assert.ok(context.items.length > 0)
    await reply('POST', '/v1/spaces/{space}/tools/{name}', ['default', 'exact_pattern'], { pattern: 'Lisbon' })
    await reply('GET', '/v1/tools')
    const added = { action: 'add', text: 'Maya rides a bicycle.', by: 'Ada' }
    const { corrections } = await reply('POST', '/v1/spaces/{space}/corrections', ['other'], added)
    assert.equal(corrections[0].action, 'add')
  })

  test('lists memories in pages, each of them once', async () => {
    const all = await reply('GET', '/v1/spaces/{space}/memories', ['default'], undefined, '?kind=utterance')
    assert.deepEqual(all.memories.map(({ id }: { id: string }) => id).sort(), ['u0', 'u1', 'u2'])
    const paged: string[] = []
    for (let cursor = ''; ; ) {
      const query = `?kind=utterance&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`
      const page = await reply('GET', '/v1/spaces/{space}/memories', ['default'], undefined, query)
      paged.push(...page.memories.map(({ id }: { id: string }) => id))
      if (page.next === null) break
      cursor = page.next
      const other = await fetch(`${url}/v1/spaces/default/memories?kind=fact&cursor=${cursor}`)
      assert.equal(other.status, 400, 'a cursor belongs to its list')
    }
    assert.deepEqual(
      paged,
      all.memories.map(({ id }: { id: string }) => id),
    )
    for (const kind of ['box', 'fact', 'event', 'link', 'entry', 'document', 'profile'])
      await reply('GET', '/v1/spaces/{space}/memories', ['default'], undefined, `?kind=${kind}&state=all`)
    const { spaces } = await reply('GET', '/v1/spaces')
    assert.deepEqual(
      spaces.map(({ space }: { space: string }) => space),
      ['default', 'other'],
    )
    const { conversations } = await reply('GET', '/v1/spaces/{space}/conversations', ['default'])
    assert.deepEqual([conversations[0].conversation, conversations[0].utterances], ['c', 3])
  })

  test('shows a profile as JSON and as Markdown', async () => {
    const { memories } = await reply('GET', '/v1/spaces/{space}/profiles', ['default'])
    assert.ok(memories.length > 0)
    await reply('GET', '/v1/spaces/{space}/documents', ['default'])
    const profile = await reply('GET', '/v1/spaces/{space}/documents/{id}', ['default', memories[0].id])
    assert.equal(profile.id, memories[0].id)
    await reply('GET', '/v1/spaces/{space}/profiles/{entity}', ['default', profile.entity])
    const page = await fetch(`${url}/v1/spaces/default/profiles/${profile.entity}`, {
      headers: { accept: 'text/markdown' },
    })
    assert.match(String(page.headers.get('content-type')), /^text\/markdown/)
    assert.match(await page.text(), new RegExp(`^# ${profile.title}\\n[\\s\\S]*## [\\s\\S]*- `))
  })

  test('corrects and retracts', async () => {
    const { memories } = await done('recall', 'Where does Maya work?', '--kind', 'fact', '--limit', '1')
    const [fact] = memories
    assert.equal((await done('correct', fact.id, '--text', 'Maya works at Initech.')).appended, 1)
    const before = await done('retract', '--conversation', 'c', '--dry-run')
    assert.equal(before.utterances.length, 3)
    await reply('POST', '/v1/spaces/{space}/retractions', ['default'], { by: 'Ada', speaker: 'Maya', dryRun: true })
    assert.equal((await done('retract', '--conversation', 'c', '--space', 'other')).appended, 1)
    assertRefused(await place.run('correct', 'none', '--pin', '--url', url), 2, /no memory none/)
  })

  test('plans, derives, compares, promotes and removes a generation', async () => {
    const set = ['--set', 'topic-loom.gapMs=1800000']
    const { generation } = await done('generation', 'plan', ...set)
    assert.equal((await done('generation', 'start', ...set, '--name', 'shorter')).generation, generation)
    assertRefused(await place.run('generation', 'start', 'shorter', '--url', url), 2, /is already started/)
    assertRefused(
      await place.run('generation', 'start', 'shorter', '--wait', '--url', url),
      2,
      /--wait derives in this process/,
    )
    await eventually(async () => assertSucceeded(await run('generation', 'promote', 'shorter')))
    assert.equal((await done('generation', 'list')).live, generation)
    const rolledBack = await done('generation', 'rollback')
    assert.equal(rolledBack.previous, generation)
    assert.match(rolledBack.position, /^generations\/0@\d+$/)
    await done('generation', 'diff', 'live', 'shorter')
    await reply('POST', '/v1/generations/compare', [], { before: 'live', after: 'shorter' })
    await reply('GET', '/v1/generations')
    await reply('GET', '/v1/generations/{id}', ['shorter'])
    await reply('POST', '/v1/generations/plan', [], { set: ['topic-loom.gapMs=900000'] })
    for (const move of ['pause', 'resume', 'cancel']) await done('generation', move, 'shorter')
    await reply('POST', '/v1/generations/{id}/retire', ['shorter'], { dryRun: true })
    assert.equal((await done('generation', 'retire', 'shorter')).status, 'retired')
    const collected = await reply('POST', '/v1/generations/collect', [], {})
    assert.equal(collected.removed.length, 1)
  })

  test('opens no file of the server for a prompt name in a request', async () => {
    const body = { set: ['model=fake', 'fact-extractor.prompt=/etc/passwd'] }
    const headers = { 'content-type': 'application/json' }
    const plan = await fetch(`${url}/v1/generations/plan`, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.deepEqual([plan.status, /root:/.test(await plan.text())], [400, false])
  })

  test('shows its status, its feed and its parked inputs', async () => {
    assert.equal((await done('status')).parked, 0)
    assert.deepEqual(await done('parked', 'list'), [])
    assertRefused(await place.run('parked', 'show', 'none', '--url', url), 2, /there is no parked input none/)
    const feed = await run('tail', 'memory-events')
    assert.ok(jsonLines(feed).length > 5)
    for (const path of ['/healthz', '/v1/status', '/v1/usage', '/v1/tools', '/v1/parked']) await reply('GET', path)
  })

  test('makes, lists, pauses, resumes and removes a webhook', async () => {
    const { id, secret } = await done('webhooks', 'create', 'https://example.com/hook', '--space', 'default')
    assert.match(secret, /^whsec_/)
    for (const [command, status] of [
      ['pause', 'paused'],
      ['resume', 'enabled'],
    ] as const)
      assert.equal((await done('webhooks', command, id)).status, status)
    assert.deepEqual(await done('webhooks', 'parked', id), [])
    assert.deepEqual(await done('webhooks', 'replay', id), { requested: [], position: null })
    assert.equal((await done('webhooks', 'list')).length, 1)
    assert.equal((await done('webhooks', 'remove', id)).status, 'removed')
    assert.deepEqual(await done('webhooks', 'list'), [])
    assertRefused(await place.run('webhooks', 'create', 'nowhere', '--url', url), 2, /url/)
  })

  test('a wrong address, a missing server and a wrong key are errors with advice', async () => {
    const recall = (address: string) => place.run('recall', 'x', '--url', address)
    assertRefused(await recall('loomlog'), 2, /the URL is loomlog: expected one such as http/)
    assertRefused(
      await recall('http://127.0.0.1:9'),
      1,
      /no loomlog server answers at http:\/\/127.0.0.1:9 .*loomlog up starts one, and --url or LOOMLOG_URL names/,
    )
    assertRefused(await recall(`${url}/elsewhere`), 2, /there is no POST \/elsewhere/)
    assertRefused(await place.run('recall', 'x', '--url', url, '--dir', 'x'), 2, /expected one of them/)
  })
})

/** The schema, without fields that it doesn't describe. */
function closed(schema: unknown): object {
  const fields = Object.entries(schema as object).map(([name, each]) => [
    name,
    each !== null && typeof each === 'object' && !Array.isArray(each) ? closed(each) : closedItems(each),
  ])
  const isOpen = fields.some(([name]) => name === 'additionalProperties')
  const isObject = fields.some(([name, value]) => name === 'type' && value === 'object')
  return Object.fromEntries(isObject && !isOpen ? [...fields, ['additionalProperties', false]] : fields)
}

function closedItems(value: unknown): unknown {
  return Array.isArray(value)
    ? value.map((each) => (each !== null && typeof each === 'object' ? closed(each) : each))
    : value
}

function faultIn(value: unknown, schema: object): string | null {
  return ajv.validate({ ...schema, components }, value) ? null : ajv.errorsText()
}
