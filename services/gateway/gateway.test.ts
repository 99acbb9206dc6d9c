import assert from 'node:assert/strict'
import { test } from 'node:test'
import { version } from '@loomlog/host/version'
import { recordOf } from '@loomlog/intake/append'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { temporaryGateway } from './fixture.ts'

type App = Awaited<ReturnType<typeof temporaryGateway>>['app']

const good = { id: '1', conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: 'The zebra is in Porto.' }
const url = '/v1/spaces/home/utterances'
const of = (tenant: string) => ({ 'x-loomlog-tenant': tenant })

function post(app: App, payload: unknown, options: { url?: string; headers?: Record<string, string> } = {}) {
  const headers = { 'content-type': 'application/json', ...options.headers }
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return app.inject({ method: 'POST', url: options.url ?? url, headers, payload: body })
}

async function recallIds(app: App, query: string, headers = {}, space = 'home'): Promise<string[]> {
  const answer = await app.inject({ url: `/v1/spaces/${space}/recall`, query: { query }, headers })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().memories.map((memory: { id: string }) => memory.id)
}

/** Every refusal is a problem document with its own status in it. */
function problem(answer: Awaited<ReturnType<typeof post>>, status: number) {
  assert.equal(answer.statusCode, status, answer.body)
  assert.match(String(answer.headers['content-type']), /^application\/problem\+json/)
  const body = answer.json()
  assert.equal(body.status, status)
  assert.ok(body.title && body.type && body.detail, answer.body)
  return body
}

test('an utterance answered with 201 is in the log, and the next recall finds it', async (t) => {
  const { app, log } = await temporaryGateway(t)
  const answer = await post(app, good)
  const { position, ...rest } = answer.json()
  assert.deepEqual([answer.statusCode, rest], [201, { ids: ['1'], appended: 1, known: 0, reached: 'appended' }])
  assert.match(position, /^[0-3]@1$/)
  assert.equal(
    (await log.endOffsets('utterances')).reduce((sum, end) => sum + end, 0),
    1,
  )
  assert.deepEqual(await recallIds(app, 'Where is the zebra?'), ['1'])
  const why = await app.inject('/v1/spaces/home/memories/1/why')
  assert.deepEqual([why.json().kind, why.json().record.offset], ['utterance', 0])
})

test('a duplicate has one effect; the same id with other content is 409, and nothing of the request is written', async (t) => {
  const { app } = await temporaryGateway(t)
  await post(app, good)
  const { position: _, ...again } = (await post(app, good)).json()
  assert.deepEqual(again, { ids: ['1'], appended: 0, known: 1, reached: 'appended' })
  const conflict = problem(
    await post(app, [
      { ...good, id: '2' },
      { ...good, text: 'The lion.' },
    ]),
    409,
  )
  assert.deepEqual(
    conflict.errors.map((fault: { pointer: string }) => fault.pointer),
    ['/1/id'],
  )
  assert.deepEqual(await recallIds(app, 'lion zebra'), ['1'])
})

test('an id that another process wrote meanwhile is known here, too', async (t) => {
  const { app, log, codec } = await temporaryGateway(t)
  await post(app, { ...good, id: '0' })
  const theirs = utteranceFrom(good, { tenant: 'default', space: 'home' }, 0)
  await log.append('utterances', [recordOf(theirs, codec)])
  problem(await post(app, { ...good, text: 'Ours.' }), 409)
  assert.equal((await post(app, good)).json().known, 1)
})

test('wrong fields are all named, with pointers, and nothing of the request is written', async (t) => {
  const { app, log } = await temporaryGateway(t)
  const answer = problem(await post(app, [good, { ...good, text: '', 'a/b': 1 }, { ...good, at: 'yesterday' }]), 400)
  assert.deepEqual(
    answer.errors.map((fault: { pointer: string }) => fault.pointer),
    ['/1/a~1b', '/2/at'],
  )
  assert.match(answer.errors[1].detail, /^at is "yesterday": expected a time in ISO 8601/)
  assert.deepEqual(problem(await post(app, { ...good, text: '' }), 400).errors[0].pointer, '/text')
  assert.deepEqual(
    (await log.endOffsets('utterances')).filter((end) => end > 0),
    [],
  )
})

test('bodies that are not JSON, of another type, too large, empty, or of too many utterances are refused', async (t) => {
  const { app } = await temporaryGateway(t)
  problem(await post(app, '{"oops'), 400)
  problem(await post(app, ''), 400)
  problem(await post(app, '[]'), 400)
  problem(await post(app, '"text"'), 400)
  assert.equal(problem(await post(app, 'null'), 400).errors[0].pointer, '')
  problem(
    await post(
      app,
      Array.from({ length: 501 }, (_, n) => ({ ...good, id: `${n}` })),
    ),
    400,
  )
  problem(await post(app, { ...good, text: 'x'.repeat(1_100_000) }), 413)
  assert.match(problem(await post(app, 'a=b', { headers: { 'content-type': 'text/plain' } }), 415).detail, /json/)
  const most = Array.from({ length: 500 }, (_, n) => ({ ...good, id: `${n}` }))
  assert.equal((await post(app, most)).json().appended, 500)
})

test('an unknown path is 404, a known one with another method 405 with Allow, and a malformed one 400', async (t) => {
  const { app } = await temporaryGateway(t)
  for (const path of ['/nothing', '/v1/spaces/home/memories/none/why'])
    problem(await app.inject({ method: 'GET', url: path }), 404)
  for (const [method, path, allowed] of [
    ['DELETE', url, 'GET, HEAD, POST'],
    ['DELETE', '/healthz', 'GET, HEAD'],
    ['PUT', '/v1/webhooks/x?y', 'DELETE, GET, HEAD'],
  ] as const) {
    const reply = await app.inject({ method, url: path })
    problem(reply, 405)
    assert.equal(reply.headers.allow, allowed)
  }
  problem(await app.inject('/%zz'), 400)
  assert.equal((await app.inject({ method: 'HEAD', url: '/healthz' })).statusCode, 200)
})

test('a recall is checked parameter by parameter', async (t) => {
  const { app } = await temporaryGateway(t)
  const ask = (query: string) => app.inject(`/v1/spaces/home/recall?${query}`)
  assert.match(problem(await ask('query='), 400).detail, /^query is empty/)
  assert.match(problem(await ask(''), 400).detail, /^query is empty/)
  assert.match(problem(await ask('query=a&query=b'), 400).detail, /^query is given more than once/)
  assert.match(problem(await ask('qwery=a'), 400).detail, /^there is no parameter qwery/)
  for (const limit of ['0', '201', 'a', '-1', '1.5', '']) {
    assert.match(problem(await ask(`query=a&limit=${limit}`), 400).detail, /^limit is/)
  }
  assert.match(problem(await ask('query=a&kind=fact&kind=feeling'), 400).detail, /^kind is "feeling": expected one of/)
  await post(app, good)
  assert.deepEqual((await ask('query=zebra&kind=fact&kind=box')).json().memories, [])
  assert.equal((await ask('query=zebra&kind=utterance&limit=1')).json().memories.length, 1)
})

test('a recall in a body equals one in parameters; a wrong body is refused', async (t) => {
  const { app } = await temporaryGateway(t)
  await post(app, good)
  await post(app, { ...good, id: '2', speaker: 'Jon' }, { url: '/v1/spaces/team/utterances' })
  const ask = (body: unknown) => post(app, body, { url: '/v1/spaces/home/recall' })
  const ids = async (body: object) => (await ask(body)).json().memories.map((memory: { id: string }) => memory.id)
  const body = { query: 'zebra', also: ['team'], limit: 5, budget: 100 }
  assert.deepEqual((await ids(body)).sort(), ['1', '2'])
  assert.deepEqual(await ids({ ...body, speaker: ['Jon'] }), ['2'])
  assert.deepEqual(await ids({ query: 'zebra', to: '2026-03-02' }), [])
  for (const [wrong, message] of [
    [[], /^the body is no JSON object/],
    [{ query: { a: 1 } }, /^query is {"a":1}/],
    [{ query: 'zebra', from: 'soon' }, /^from is "soon"/],
    [{ query: 'zebra', also: ['a/b'] }, /^space is "a\/b"/],
    [{ query: 'zebra', budget: 0 }, /^budget is "0": expected a whole number from 1/],
    [{ query: 5 }, /^query is 5: expected a string/],
    [{ query: 'zebra', from: 2026 }, /^from is 2026: expected a string/],
    [{ query: 'zebra', speaker: [1] }, /^speaker is \[1\]: expected a string/],
    [{ query: 'zebra', toString: 'x' }, /^there is no parameter toString/],
    [{ query: 'zebra', after: '0@99' }, /^after is 0@99/],
  ] as const) {
    assert.match(problem(await ask(wrong), 400).detail, message)
  }
})

test('an answer is null with the reason if no model is configured, and the evidence comes with it', async (t) => {
  const { app } = await temporaryGateway(t)
  await post(app, good)
  const ask = (answer: string) => app.inject({ url: '/v1/spaces/home/recall', query: { query: 'zebra', answer } })
  const { answer, memories } = (await ask('yes')).json()
  assert.deepEqual([answer.answer, memories.length], [null, 1])
  assert.match(answer.why, /no model is configured/)
  assert.equal((await ask('no')).json().answer, undefined)
  const agentic = await post(app, { query: 'zebra', agentic: 'yes' }, { url: '/v1/spaces/home/recall' })
  assert.match(problem(agentic, 400).detail, /needs a model/)
  assert.match(problem(await ask('maybe'), 400).detail, /^answer is "maybe": expected yes or no/)
})

test('an append returns the position that a recall may wait for', async (t) => {
  const { app } = await temporaryGateway(t)
  const { position } = (await post(app, good)).json()
  const waits = await app.inject({
    url: '/v1/spaces/home/recall',
    query: { query: 'zebra', after: position, wait: '60' },
  })
  assert.match(problem(waits, 503).detail, /is not reached within 60 ms/)
})

test('a served recall is recorded after the answer: in each space its own evidence', async (t) => {
  const { app, log, codec, recalls } = await temporaryGateway(t)
  await post(app, good)
  await post(app, { ...good, id: '2' }, { url: '/v1/spaces/team/utterances' })
  await post(app, { query: 'zebra', also: ['team'] }, { url: '/v1/spaces/home/recall' })
  await recalls.close()
  assert.deepEqual(recalls.counts, { recorded: 2, dropped: 0 })
  const recorded = []
  for await (const records of log.read({ topic: 'recalls', until: 'end' })) {
    for (const record of records) {
      const event = await codec.decodeOwn(record.value)
      assert.ok(event?.type === 'RecallServed' && event.query === 'zebra' && event.generation === 'g1')
      recorded.push([record.key, event.space, event.evidence])
    }
  }
  assert.deepEqual(recorded.sort(), [
    ['default/home', 'home', ['1']],
    ['default/team', 'team', ['2']],
  ])
})

test('tools are listed and used over HTTP, within the space and the tenant', async (t) => {
  const { app } = await temporaryGateway(t)
  await post(app, good)
  const names = (await app.inject('/v1/tools')).json().map((tool: { name: string }) => tool.name)
  assert.deepEqual(names, ['lexical_search', 'exact_pattern', 'inspect_document', 'browse_ids', 'read_lines'])
  const use = (name: string, input: unknown, headers = {}) =>
    post(app, input, { url: `/v1/spaces/home/tools/${name}`, headers })
  assert.deepEqual((await use('exact_pattern', { pattern: 'ZEBRA' })).json().ids, ['1'])
  assert.deepEqual((await use('exact_pattern', { pattern: 'zebra' }, of('other'))).json().ids, [])
  problem(await use('delete_all', {}), 404)
  assert.match(problem(await use('lexical_search', { query: '' }), 400).detail, /^query is ""/)
})

test('a tenant neither sees nor changes another, by any name', async (t) => {
  const { app } = await temporaryGateway(t)
  await post(app, good, { headers: of('acme') })
  const names = ['Zoë', 'Zoe', 'Zo%C3%AB', '日本 語', '100%']
  for (const name of names) {
    const written = await post(app, { ...good, id: name }, { headers: of(encodeURIComponent(name)) })
    assert.equal(written.statusCode, 201, name)
  }
  for (const name of names) assert.deepEqual(await recallIds(app, 'zebra', of(encodeURIComponent(name))), [name])
  assert.equal((await post(app, { ...good, text: 'Other zebra.' }, { headers: of('other') })).statusCode, 201)
  assert.deepEqual(await recallIds(app, 'zebra'), [])
  assert.deepEqual(await recallIds(app, 'zebra', of('acme'), 'work'), [])
  assert.deepEqual(await recallIds(app, 'zebra', of('acme')), ['1'])
  problem(await app.inject('/v1/spaces/home/memories/1/why'), 404)
  for (const [tenant, space] of [
    ['acme/home', 'x'],
    ['acme', 'home%2Fx'],
    ['', 'home'],
  ] as const) {
    problem(await app.inject({ url: `/v1/spaces/${space}/recall?query=zebra`, headers: of(tenant) }), 400)
    problem(await app.inject({ url: `/v1/spaces/${space}/memories/1/why`, headers: of(tenant) }), 400)
    problem(await post(app, good, { url: `/v1/spaces/${space}/utterances`, headers: of(tenant) }), 400)
  }
})

test('healthz lists the conditions of the process', async (t) => {
  const text = 'topic-loom waits: the endpoint answers 503'
  const paused = { text, reason: text, since: 1 }
  const { app } = await temporaryGateway(t, { conditions: { current: new Map([['paused topic-loom', paused]]) } })
  const health = (await app.inject('/healthz')).json()
  assert.deepEqual([health.status, health.version, health.conditions], ['ok', version, { 'paused topic-loom': paused }])
})

test('an internal error shows no detail', async (t) => {
  const { app } = await temporaryGateway(t)
  const answer = await app.inject('/v1/status')
  assert.equal(problem(answer, 500).detail, 'see the log of the server')
  assert.doesNotMatch(answer.body, /secret/)
})

test('a hundred writers at once lose nothing, and each is found', async (t) => {
  const { app } = await temporaryGateway(t)
  const posts = Array.from({ length: 100 }, (_, n) => post(app, { ...good, id: `w${n}`, text: `Number${n} zebra` }))
  const answers = await Promise.all(posts)
  assert.ok(answers.every((answer) => answer.statusCode === 201))
  assert.equal((await recallIds(app, 'number42'))[0], 'w42')
})

test('usage is that of the requesting tenant, and a malformed tenant is refused', async (t) => {
  const { app } = await temporaryGateway(t)
  assert.deepEqual((await app.inject('/v1/usage')).json(), { of: 'default' })
  const named = (tenant: string) => app.inject({ url: '/v1/usage', headers: { 'x-loomlog-tenant': tenant } })
  assert.deepEqual((await named('acme')).json(), { of: 'acme' })
  assert.equal((await named('a/b')).statusCode, 400)
})
