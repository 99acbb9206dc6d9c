/** The classes of mem0 on the memory; `mem0ai` itself is not needed. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { Memory } from '@loomlog/adapters/mem0'
import type { Memory as Loomlog } from '@loomlog/client/memory'
import type { Mem0 } from './mem0-shapes.ts'
import { openSpace } from './open-space.ts'

/** A program of mem0: it recalls, asks a model, and stores the turn. It closes nothing. */
const program = `
import { Memory } from 'mem0ai/oss'

const memory = new Memory({ llm: { provider: 'openai', config: { model: 'gpt-5-mini' } } })

async function ask(messages: { role: string; content: string }[]): Promise<string> {
  const body = JSON.stringify({ model: 'gpt-5-mini', messages })
  const reply = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body })
  return (await reply.json()).choices[0].message.content
}

async function chat(message: string, userId: string): Promise<string> {
  const { results } = await memory.search(message, { filters: { user_id: userId }, topK: 3 })
  const known = results.map((entry) => '- ' + entry.memory).join('\\n')
  const messages = [
    { role: 'system', content: 'Answer by the question and the memories.\\nMemories:\\n' + known },
    { role: 'user', content: message },
  ]
  const reply = await ask(messages)
  messages.push({ role: 'assistant', content: reply })
  await memory.add(messages, { userId })
  return reply
}

for (const message of JSON.parse(process.env.MESSAGES ?? '')) console.log(await chat(message, 'maya'))
`

/** A chat endpoint that knows a recipe for a vegetarian. */
async function fakeChat(t: TestContext) {
  const prompts: string[] = []
  const server = createServer(async (request, response) => {
    const { messages } = (await json(request)) as { messages: { content: string }[] }
    prompts.push(messages.map(({ content }) => content).join('\n'))
    const isKnown = messages[0]?.content.includes('vegetarian')
    const content = isKnown ? 'A curry of lentils.' : 'Noted.'
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  return { prompts, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a program of mem0 with another import remembers in its next process, and ends by itself', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-mem0-'))
  t.after(() => rm(dir, { recursive: true, maxRetries: 3 }))
  const { prompts, url } = await fakeChat(t)
  const changed = program.replace("'mem0ai/oss'", "'@loomlog/adapters/mem0'")
  const { LOOMLOG_URL: _, ...env } = process.env
  const run = async (...messages: readonly string[]) =>
    promisify(execFile)(process.execPath, ['--input-type=module-typescript', '--eval', changed], {
      env: {
        ...env,
        LOOMLOG_DIR: dir,
        LOOMLOG_PARTITIONS: '1',
        OPENAI_BASE_URL: url,
        MESSAGES: JSON.stringify(messages),
      },
      timeout: 50_000,
    })
  const first = await run('I am a vegetarian.')
  assert.equal(first.stdout, 'Noted.\n')
  assert.match(first.stderr, /without an effect here: llm$/m)
  const second = await run('What shall I cook, as a vegetarian?')
  assert.equal(second.stdout, 'A curry of lentils.\n')
  assert.match(prompts[1] ?? '', /Memories:\n- I am a vegetarian\./)
  const memory = new Memory({ dir })
  const { results } = await memory.getAll({ filters: { user_id: 'maya' } })
  assert.deepEqual(
    results.map(({ memory: text, attributedTo }) => [text, attributedTo]),
    [
      ['A curry of lentils.', 'assistant'],
      ['What shall I cook, as a vegetarian?', 'user'],
      ['Noted.', 'assistant'],
      ['I am a vegetarian.', 'user'],
    ],
  )
})

const textsOf = ({ results }: { readonly results: readonly { readonly memory: string }[] }) =>
  results.map(({ memory }) => memory)

test('a memory is found at once, changed and deleted, with its history', async (t) => {
  const space = await openSpace(t)
  const [memory, other]: readonly [Mem0, Mem0] = [new Memory({ space }), new Memory({ space })]
  const owner = { userId: 'maya', agentId: 'guide', runId: '7' }
  const { results } = await memory.add('I live in Lisbon.', {
    ...owner,
    metadata: { category: 'home', user_id: 'tom' },
  })
  const [{ id = '' } = {}] = results
  assert.deepEqual(results, [{ id, memory: 'I live in Lisbon.', metadata: { event: 'ADD' } }])
  const filters = { user_id: 'maya' }
  const [found] = (await other.search('Where does Maya live?', { filters })).results
  const { createdAt, score = 0 } = found ?? {}
  assert.ok(score > 0 && score <= 1 && Math.abs(Date.parse(createdAt ?? '') - Date.now()) < 60_000)
  const expected = {
    id,
    memory: 'I live in Lisbon.',
    createdAt,
    metadata: { category: 'home' },
    user_id: 'maya',
    agent_id: 'guide',
    run_id: '7',
    attributedTo: 'user',
  }
  assert.deepEqual(found, { ...expected, score })
  assert.deepEqual(await other.get(id), expected)
  assert.deepEqual(await other.getAll({ filters }), { results: [expected] })
  assert.deepEqual((await memory.add('I live in Lisbon.', owner)).results, [])
  assert.equal((await memory.add('I live in Lisbon.', { ...owner, infer: false })).results.length, 1)

  assert.deepEqual(await memory.update(id, 'I live in Porto.'), { message: 'Memory updated successfully!' })
  await memory.update(id, { metadata: { sure: true } })
  const updated = await other.get(id)
  assert.deepEqual(
    { ...updated, updatedAt: '' },
    { ...expected, memory: 'I live in Porto.', metadata: { category: 'home', sure: true }, updatedAt: '' },
  )
  assert.ok((updated?.updatedAt ?? '') > (createdAt ?? ''))
  assert.deepEqual(await memory.delete(id), { message: 'Memory deleted successfully!' })
  assert.equal(await other.get(id), null)
  assert.deepEqual(textsOf(await other.getAll({ filters })), ['I live in Lisbon.'])
  assert.doesNotMatch((await space.recall('Where does Maya live?', { kind: ['utterance', 'fact'] })).text, /Porto/)
  assert.deepEqual(
    (await other.history(id)).map(({ action, previous_value, new_value, is_deleted }) => [
      action,
      previous_value,
      new_value,
      is_deleted,
    ]),
    [
      ['DELETE', 'I live in Porto.', null, 1],
      ['UPDATE', 'I live in Porto.', 'I live in Porto.', 0],
      ['UPDATE', 'I live in Lisbon.', 'I live in Porto.', 0],
      ['ADD', null, 'I live in Lisbon.', 0],
    ],
  )
  await assert.rejects(memory.update(id, 'x'), { message: `Memory with ID ${id} not found` })
  await assert.rejects(memory.delete(id), { message: `Memory with ID ${id} not found` })
})

test('filters select by owner and metadata, and no memory of another user', async (t) => {
  const memory: Mem0 = new Memory({ space: await openSpace(t) })
  await memory.add([{ role: 'user', content: 'My cat is called Miso.' }], { userId: 'maya', metadata: { year: 2021 } })
  await memory.add('My cat is called Nori.', { userId: 'tom', runId: '1', metadata: { year: 2023, tags: ['pet'] } })
  await memory.add('My cat is called Kiwi.', { runId: '1' })
  await memory.add('The boat has a new engine.', { agentId: 'maya', expirationDate: '2020-01-01' })
  const search = async (filters: object) => textsOf(await memory.search('cat', { filters })).toSorted()
  const [miso, nori, kiwi] = ['My cat is called Miso.', 'My cat is called Nori.', 'My cat is called Kiwi.']
  const cases: readonly (readonly [object, readonly (string | undefined)[]])[] = [
    [{ user_id: 'maya' }, [miso]],
    [{ userId: 'tom' }, [nori]],
    [{ run_id: '1' }, [kiwi, nori]],
    [{ run_id: '1', user_id: 'tom' }, [nori]],
    [{ run_id: '1', user_id: 'maya' }, []],
    [{ user_id: 'may' }, []],
    [{ agent_id: 'maya' }, []],
    [{ user_id: '*' }, [miso, nori]],
    [{ user_id: ['maya', 'tom'], year: { gt: 2021 } }, [nori]],
    [{ user_id: { in: ['maya', 'x'] }, year: { lte: 2021 } }, [miso]],
    [{ OR: [{ user_id: 'maya' }, { user_id: 'tom', tags: { contains: 'pet' } }] }, [miso, nori]],
    [{ AND: [{ user_id: '*' }, { NOT: [{ year: 2021 }] }] }, [nori]],
    [{ user_id: 'maya', metadata: { year: 2021 } }, [miso]],
    [{ user_id: 'maya', year: 2022 }, []],
  ]
  for (const [filters, expected] of cases) {
    assert.deepEqual(await search(filters), expected, JSON.stringify(filters))
    assert.deepEqual(textsOf(await memory.getAll({ filters })).toSorted(), expected, JSON.stringify(filters))
  }
  const boat = { filters: { agent_id: 'maya' }, showExpired: true }
  assert.deepEqual(textsOf(await memory.search('boat', boat)), ['The boat has a new engine.'])
  assert.equal((await memory.getAll({ filters: { run_id: '1' }, topK: 1 })).results.length, 1)
  await memory.deleteAll({ userId: 'tom' })
  assert.deepEqual(await search({ run_id: '1' }), [kiwi])
  await memory.reset()
  assert.deepEqual(textsOf(await memory.getAll({ ...boat, filters: { OR: [{ user_id: '*' }, { run_id: '*' }] } })), [])
})

test('of memories that two processes add at the same time, each is deleted alone', async (t) => {
  const space = await openSpace(t)
  const memories = [new Memory({ space }), new Memory({ space })]
  const owner = { userId: 'maya', timestamp: 1_772_442_000 }
  const texts = ['I have a cat.', 'I have a boat.', 'I have a van.', 'I have a bike.']
  const added = await Promise.all(texts.map((text, at) => memories[at % 2]?.add(text, owner)))
  const [first, second] = added.flatMap((reply) => reply?.results ?? [])
  assert.ok(first && second)
  await memories[0]?.delete(first.id)
  const changed = await Promise.all([1, 2].map((at) => memories[0]?.update(second.id, `I have boat ${at}.`)))
  assert.equal(changed.length, 2)
  const left = textsOf((await memories[0]?.getAll({ filters: { user_id: 'maya' } })) ?? { results: [] }).toSorted()
  assert.deepEqual(left.slice(0, 2), ['I have a bike.', 'I have a van.'])
  await memories[1]?.delete(second.id)
  assert.deepEqual(
    textsOf((await memories[0]?.getAll({ filters: { user_id: 'maya' } })) ?? { results: [] }).toSorted(),
    ['I have a bike.', 'I have a van.'],
  )
})

test('a call without an owner, or with values that mean nothing, is refused', async (t) => {
  const memory = new Memory({ space: await openSpace(t) })
  const filters = { user_id: 'maya' }
  const refused: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
    [() => memory.add('x', {}), /userId, agentId or runId is required/],
    [() => memory.add('x', { userId: 'a b' }), /Invalid userId: "a b"/],
    [() => memory.add(' ', { userId: 'maya' }), /only blank content/],
    [() => memory.add([null as never], { userId: 'maya' }), /Invalid role of a message: undefined/],
    [() => memory.add([], { userId: 'maya' }), /Invalid messages: \[\]/],
    [() => memory.add('x', { userId: 'maya', expirationDate: '2026-02-30' }), /YYYY-MM-DD/],
    [() => memory.add('x', { userId: 'maya', timestamp: 'soon' }), /Invalid timestamp: soon/],
    [() => memory.add('x', { userId: 'maya', timestamp: 1e300 }), /Invalid timestamp: 1e\+300/],
    [() => memory.search('x', {}), /filters must contain at least one of/],
    [() => memory.search('x', { filters: { NOT: [{ user_id: 'maya' }] } }), /filters must contain/],
    [() => memory.search('x', { filters: { OR: [{ user_id: 'maya' }, { year: 1 }] } }), /filters must contain/],
    [() => memory.search('x', { filters, topK: -1 }), /Invalid topK: -1/],
    [() => memory.search('x', { filters, threshold: 2 }), /Invalid threshold: 2/],
    [() => memory.search(' ', { filters }), /Invalid query/],
    [() => memory.getAll({ filters: {} }), /filters must contain/],
    [() => memory.deleteAll({}), /At least one filter/],
    [() => memory.update('x', {}), /At least one of text/],
  ]
  for (const [call, message] of refused) await assert.rejects(call(), { message })
})

test('a collection is a space of a given memory, and without a place the constructor fails', async (t) => {
  const space = await openSpace(t)
  const named: string[] = []
  const loomlog = { space: (name: string) => ({ ...space, name: String(named.push(name)) }) } as unknown as Loomlog
  const vectorStore = { provider: 'qdrant', config: { collectionName: 'work' } }
  for (const options of [{}, { vectorStore }]) await new Memory({ memory: loomlog, ...options }).get('x')
  assert.deepEqual(named, ['mem0', 'work'])
  const { LOOMLOG_DIR: dir, LOOMLOG_URL: url } = process.env
  if (dir === undefined && url === undefined) assert.throws(() => new Memory(), /LOOMLOG_URL or LOOMLOG_DIR/)
})
