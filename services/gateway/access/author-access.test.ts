/** Keys that are bound to speakers and roles, at every route whose request has an author. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type AuthorBounds, anyAuthor, localCaller, openAccess } from '@loomlog/access/caller'
import type { Role } from '@loomlog/schemas/events'
import { temporaryGateway } from '../fixture.ts'

const bound = (speakers: readonly string[] | null, roles: readonly Role[] | null): AuthorBounds => ({
  speakers: speakers && new Set(speakers),
  roles: roles && new Set(roles),
})
const ofMaya = bound(['Maya'], ['human'])

/** A gateway whose caller has the key `k1`. */
async function gatewayFor(t: TestContext, authors: AuthorBounds) {
  const caller = { ...localCaller, name: 'key:k1', tenant: 'acme', authors }
  const access = { ...openAccess, isOpen: false, authenticate: async () => caller }
  const retried: string[] = []
  const parked = {
    list: async () => [],
    details: async () => ({}),
    retry: async (_: string, __: string, by: string) => {
      retried.push(by)
      return { retry: 'r', attempt: 1, stage: 's', position: '0@1' }
    },
  }
  const { app, log } = await temporaryGateway(t, { access, parked })
  async function post(path: string, payload: object | string) {
    const type = typeof payload === 'string' ? 'application/x-ndjson' : 'application/json'
    const headers = { 'content-type': type, accept: 'application/json, text/event-stream' }
    const url = path.startsWith('/') ? path : `/v1/spaces/home/${path}`
    const reply = await app.inject({ method: 'POST', url, payload, headers })
    return { status: reply.statusCode, body: bodyOf(reply.body) }
  }
  /** Number of records in the log, of every space. */
  async function written(): Promise<number> {
    return (await log.endOffsets('utterances')).reduce((sum, end) => sum + end, 0)
  }
  return { post, written, retried }
}

/** The JSON of a reply; MCP sends it as the data of an event. */
function bodyOf(text: string) {
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
}

const utterance = (fields: object) => ({ conversation: 'c', at: '2026-03-02T09:00:00Z', text: 'I sail.', ...fields })

/** Every way to write, with the author in the fields of its body. Each write has a text of its own. */
const writes: Readonly<Record<string, (speaker: string, role: string) => readonly [string, object | string]>> = {
  'an utterance': (speaker, role) => ['utterances', utterance({ speaker, role, text: `${speaker} ${role}` })],
  'a list': (speaker, role) => ['utterances', [utterance({ speaker, role, text: `list of ${speaker} ${role}` })]],
  'a stream': (speaker, role) => [
    'utterances',
    `${JSON.stringify(utterance({ speaker, role, text: `stream of ${speaker} ${role}` }))}\n`,
  ],
  'a chat message': (name, role) => {
    const chatRole = role === 'human' ? 'user' : 'assistant'
    return ['utterances', { conversation: 'c', role: chatRole, name, content: `chat of ${name} ${role}` }]
  },
  'a correction': (by, role) => ['corrections', { action: 'add', text: `${by} lives in Porto.`, by, role }],
  'a retraction': (by, role) => ['retractions', { conversation: 'c', by, role }],
  'a dry run': (by, role) => ['retractions', { conversation: 'c', by, role, dryRun: true }],
}

test('with a key of Maya every kind of write of Maya is accepted, and nothing of other authors is written', async (t) => {
  const { post, written } = await gatewayFor(t, ofMaya)
  for (const [name, write] of Object.entries(writes)) {
    const allowed = await post(...write('Maya', 'human'))
    assert.ok([200, 201].includes(allowed.status), `${name}: ${JSON.stringify(allowed.body)}`)
    const before = await written()
    for (const [speaker, role, ...fields] of [
      ['Tomas', 'human', 'speaker'],
      ['Maya', 'agent', 'role'],
      ['Tomas', 'agent', 'speaker', 'role'],
      ['maya', 'human', 'speaker'],
      ['MAYA', 'human', 'speaker'],
      ['Ｍａｙａ', 'human', 'speaker'],
      ['Мaya', 'human', 'speaker'],
      ['Maya.', 'human', 'speaker'],
    ] as const) {
      const { status, body } = await post(...write(speaker, role))
      assert.deepEqual([status, body.type], [403, 'urn:loomlog:problem:not-allowed'], `${name} of ${speaker}, ${role}`)
      assert.equal(body.errors.length, fields.length, JSON.stringify(body))
      for (const [at, field] of fields.entries()) {
        const { pointer, detail } = body.errors[at]
        assert.match(pointer, field === 'role' ? /^(\/0)?\/role$/ : /^(\/0)?\/(speaker|name|by)$/)
        const expected = field === 'role' ? 'expected "human"' : 'expected "Maya"'
        assert.ok(detail.endsWith(`${expected}, as key:k1 is bound to it`), detail)
      }
    }
    assert.equal(await written(), before, name)
  }
})

test('a name with other white space or another normal form is the same name', async (t) => {
  const { post } = await gatewayFor(t, bound(['Zoë'], null))
  for (const [name, write] of Object.entries(writes)) {
    for (const speaker of ['Zoë', 'Zoe\u0308', '\u00a0Zoë '])
      assert.ok((await post(...write(speaker, 'human'))).status < 300, `${name} of ${JSON.stringify(speaker)}`)
    assert.equal((await post(...write('Zoe', 'human'))).status, 403, name)
  }
})

test('a name with an unseen character is refused as before, and is no one else’s', async (t) => {
  const { post, written } = await gatewayFor(t, ofMaya)
  for (const [name, write] of Object.entries(writes)) {
    const { status } = await post(...write('Maya\u200b', 'human'))
    assert.ok(status === 400 || status === 403, `${name}: ${status}`)
  }
  assert.equal(await written(), 0)
})

test('a refusal names every fault of a batch by its place, and the batch is not written', async (t) => {
  const { post, written } = await gatewayFor(t, ofMaya)
  const batch = [
    utterance({ speaker: 'Maya' }),
    utterance({ speaker: 'Tomas' }),
    { conversation: 'c', role: 'assistant', content: 'Aye.' },
    { conversation: 'c', role: 'user', content: 'Hm.' },
  ]
  const { status, body } = await post('utterances', batch)
  assert.equal(status, 403)
  const found = body.errors.map(({ pointer, detail }: { pointer: string; detail: string }) => `${pointer} ${detail}`)
  const expected = {
    speaker: 'expected "Maya", as key:k1 is bound to it',
    role: 'expected "human", as key:k1 is bound to it',
  }
  assert.deepEqual(found, [
    `/1/speaker speaker is "Tomas": ${expected.speaker}`,
    `/2/name name is missing, which means "assistant": ${expected.speaker}`,
    `/2/role role is "assistant", which means "agent": ${expected.role}`,
    `/3/name name is missing, which means "user": ${expected.speaker}`,
  ])
  assert.equal(await written(), 0)
  const many = await post(
    'utterances',
    Array.from({ length: 50 }, (_, n) => utterance({ speaker: `S${n}` })),
  )
  assert.deepEqual([many.status, many.body.errors.length], [403, 20])
})

test('a wrong field is a fault of the request, also beside another author', async (t) => {
  const { post } = await gatewayFor(t, ofMaya)
  for (const item of [{ speaker: 'Tomas', text: '' }, { speaker: 7 }, {}, { speaker: 'Tomas', role: 'boss' }])
    assert.equal((await post('utterances', utterance(item))).status, 400, JSON.stringify(item))
  for (const body of [
    { by: 7, conversation: 'c' },
    { by: 'Tomas', role: 'tool', conversation: 'c' },
  ])
    assert.equal((await post('retractions', body)).status, 400, JSON.stringify(body))
  for (const body of [{ by: null }, { by: 'Maya', role: 'system' }])
    assert.equal((await post('corrections', { action: 'add', text: 'Maya sails.', ...body })).status, 400)
})

test('an omitted role is that of a person, so a key of an agent must name its role', async (t) => {
  const { post, written } = await gatewayFor(t, bound(['helper'], ['agent']))
  assert.match((await post('utterances', utterance({ speaker: 'helper' }))).body.detail, /role is missing, which means/)
  const add = { action: 'add', text: 'Maya lives in Porto.', by: 'helper' }
  for (const role of [undefined, null])
    assert.equal((await post('corrections', { ...add, role })).status, 403, String(role))
  assert.equal((await post('retractions', { conversation: 'c', by: 'helper' })).status, 403)
  assert.equal(await written(), 0)
  assert.equal((await post('utterances', utterance({ speaker: 'helper', role: 'agent' }))).status, 201)
})

test('in a stream the lines before the batch with the fault are in the log, and the fault names its line', async (t) => {
  const { post, written } = await gatewayFor(t, ofMaya)
  const lines = Array.from({ length: 502 }, (_, n) =>
    JSON.stringify(utterance({ speaker: n === 501 ? 'Tomas' : 'Maya', text: `Line ${n}.` })),
  )
  const { status, body } = await post('utterances', lines.join('\n'))
  assert.deepEqual([status, body.errors[0].pointer], [403, '/501/speaker'])
  assert.equal(await written(), 500)
})

test('each bound holds alone; a key without bounds writes as any author', async (t) => {
  const speakers = await gatewayFor(t, bound(['Maya', 'Ines'], null))
  for (const [name, write] of Object.entries(writes)) {
    assert.ok((await speakers.post(...write('Ines', 'agent'))).status < 300, name)
    assert.equal((await speakers.post(...write('Tomas', 'human'))).status, 403, name)
  }
  const roles = await gatewayFor(t, bound(null, ['agent']))
  const unbound = await gatewayFor(t, anyAuthor)
  for (const [name, write] of Object.entries(writes)) {
    assert.ok((await roles.post(...write('Tomas', 'agent'))).status < 300, name)
    assert.equal((await roles.post(...write('Tomas', 'human'))).status, 403, name)
    assert.ok((await unbound.post(...write('Tomas', 'human'))).status < 300, name)
  }
})

test('a retraction of the messages of a speaker of the key is in the name of its own author', async (t) => {
  const { post, written } = await gatewayFor(t, ofMaya)
  for (const dryRun of [true, false]) {
    const { status, body } = await post('retractions', { speaker: 'Maya', by: 'Tomas', role: 'human', dryRun })
    assert.deepEqual([status, body.errors[0].pointer], [403, '/by'])
    assert.ok((await post('retractions', { speaker: 'Tomas', by: 'Maya', dryRun })).status < 300)
  }
  assert.equal(await written(), 0)
})

test('the end of a conversation and of a space has no author', async (t) => {
  const { post } = await gatewayFor(t, ofMaya)
  await post('utterances', utterance({ speaker: 'Maya' }))
  for (const path of ['conversations/c/end', 'end']) assert.ok((await post(path, {})).status < 300, path)
})

test('a retry of a parked input is in the name of a speaker of the key', async (t) => {
  const { post, retried } = await gatewayFor(t, ofMaya)
  const { status, body } = await post('/v1/parked/p1/retry', { by: 'Tomas' })
  assert.deepEqual([status, body.errors[0].pointer], [403, '/by'])
  assert.equal((await post('/v1/parked/p1/retry', { by: 'Maya' })).status, 201)
  assert.deepEqual(retried, ['Maya'])
})

test('an MCP tool of a bound key writes as its author, and is refused with the reason for another', async (t) => {
  const { post, written } = await gatewayFor(t, ofMaya)
  const call = async (path: string, name: string, given: object): Promise<string> => {
    const params = { name, arguments: given }
    const { body } = await post(path, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const { isError = false, content } = body.result
    return `${isError ? 'refused' : 'done'}: ${content[0].text}`
  }
  const ofAuthor = (author: string) => `mcp?author=${author}`
  const row = { messages: [{ text: 'I row.' }] }
  assert.match(await call(ofAuthor('Maya'), 'remember', row), /^done: Stored: /)
  assert.match(await call(ofAuthor('Maya'), 'forget', { conversation: 'none' }), /^done: Nothing has this origin/)
  const before = await written()
  const speaker = /^refused: .*\bspeaker is "Tomas": expected "Maya", as key:k1 is bound to it/
  assert.match(await call(ofAuthor('Tomas'), 'remember', row), speaker)
  const agent = { messages: [{ text: 'I sort.', speaker: 'Maya', role: 'agent' }] }
  assert.match(await call('mcp', 'remember', agent), /^refused: .*\brole is "agent": expected "human"/)
  assert.match(await call('mcp', 'remember', row), /^refused: .*\bspeaker is missing/)
  const by = /^refused: .*\bby is "Tomas": expected "Maya"/
  assert.match(await call(ofAuthor('Tomas'), 'forget', { conversation: 'mcp', dryRun: false }), by)
  assert.equal(await written(), before)
  const helper = await gatewayFor(t, bound(['helper'], ['agent']))
  const own = { messages: [{ text: 'I sort.', speaker: 'helper', role: 'agent' }] }
  const response = await helper.post('mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'remember', arguments: own },
  })
  assert.match(response.body.result.content[0].text, /^Stored: /)
})
