import assert from 'node:assert/strict'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { hash } from '@loomlog/schemas/ids'
import type { Row } from '@loomlog/views/row'
import { searchWithTools } from './agentic/search-with-tools.ts'
import { contextBlock } from './context/context-block.ts'
import { memory, row, utterance } from './fixture.ts'
import { kinds } from './memory.ts'
import { recall as answer } from './recall.ts'
import type { RecallOptions } from './recall-options.ts'
import { maxLimit, maxQueryLength, type RecallRequest } from './request/request.ts'
import { maxTailRead, maxTailRecords, readTail } from './search/log-tail.ts'
import { runTool } from './tools/tools.ts'

const home = 'acme/home'
const recall = async (request: RecallRequest, options: RecallOptions) => (await answer(request, options)).items

test('an empty log gives an empty result, for every kind', async (t) => {
  const place = await memory(t)
  for (const kind of kinds) assert.deepEqual(await recall({ space: home, query: 'boat', kinds: [kind] }, place), [])
})

test('an invalid query or limit is refused with the value and the expected values', async (t) => {
  const place = await memory(t)
  const refused = async (request: object, message: RegExp) =>
    assert.rejects(recall({ space: home, query: 'boat', ...request }, place), (error) => {
      return isLoomlogError(error, 'input-invalid') && message.test(error.message)
    })
  await refused({ query: ' \n' }, /^query is empty/)
  await refused({ query: 'x'.repeat(maxQueryLength + 1) }, /^query has 100001 characters/)
  await refused({ filter: { speakers: ['Ada', ' '] } }, /^speaker is empty/)
  await refused({ filter: { conversations: [''] } }, /^conversation is empty/)
  await refused(
    { filter: { from: 86_400_000, to: 0 } },
    /^from is 1970-01-02.*, to is 1970-01-01.*: expected a from before to/,
  )
  for (const limit of [0, -1, 1.5, maxLimit + 1, Number.NaN]) await refused({ limit }, /^limit is/)
})

test('any text is a query of words: quotes, operators, emoji, other scripts, 100 KB', async (t) => {
  const place = await memory(t)
  await place.append(utterance(home, 'u1', 'Майя живёт в Порту 🙂'))
  await place.write('facts', [await row(home, 'f1', "Maya's boat is called 'Andorinha'")])
  const queries = ['"', "'; drop table facts --", 'a:b^2~ +c -d *', 'AND OR NOT (', '🙂', '\ud800', 'the', '\u0000boat']
  for (const query of queries) await recall({ space: home, query }, place)
  assert.equal((await recall({ space: home, query: 'boat '.repeat(20_000) }, place))[0]?.id, 'f1')
  assert.equal((await recall({ space: home, query: 'где живёт Майя?' }, place))[0]?.id, 'u1')
})

test('the tail of the log is found at once, with its own id as source', async (t) => {
  const place = await memory(t)
  await place.append(utterance(home, 'u1', 'The zebra is in Porto'))
  const [found] = await recall({ space: home, query: 'zebra' }, place)
  assert.deepEqual([found?.id, found?.kind, found?.sources], ['u1', 'utterance', ['u1']])
})

test('while the log is away, a recall searches the views and notifies its caller; without a callback it fails', async (t) => {
  const place = await memory(t)
  await place.write('utterances', [await row(home, 'u1', 'The zebra is in Porto')])
  await recall({ space: home, query: 'zebra' }, place)
  const away = async () => {
    throw new LoomlogError('log-unavailable', 'connection refused')
  }
  const reasons = new Set<string>()
  const onLogAway = (reason: string) => reasons.add(reason)
  const outage = { ...place, log: { ...place.log, endOffsets: away } }
  const found = await recall({ space: home, query: 'zebra' }, { ...outage, onLogAway })
  assert.deepEqual(
    found.map(({ id }) => id),
    ['u1'],
  )
  assert.deepEqual([...reasons], ['connection refused'])
  await assert.rejects(recall({ space: home, query: 'zebra' }, outage), { code: 'log-unavailable' })
})

test('records that the first stage would not admit are not returned from the tail', async (t) => {
  const place = await memory(t)
  await place.append(utterance(home, 'u1', 'The zebra of the first'))
  await place.append(utterance(home, 'u1', 'The zebra of the second'))
  await place.append(utterance('evil/lair', 'u2', 'A foreign zebra'), home)
  await place.log.append('utterances', [{ key: home, value: Buffer.from('zebra'), timestamp: 0 }])
  const found = await recall({ space: home, query: 'zebra' }, place)
  assert.deepEqual(
    found.map((said) => said.text),
    ['Ada: The zebra of the first'],
  )
})

test('retracted utterances are not returned from the tail', async (t) => {
  const place = await memory(t)
  const said = utterance(home, 'u1', 'zebra')
  const asked = { by: 'Ada', role: 'human', reason: null, at: 0, appendedAt: 0, keyId: null, principal: null } as const
  const where = { tenant: said.tenant, space: said.space, conversation: 'c', seq: null }
  const undo = { type: 'EvidenceRetracted', ...where, utterances: ['u1'], ...asked } as const
  await place.append(said)
  await place.append({ ...undo, id: 'r1', derivation: 'd1' })
  assert.equal((await recall({ space: home, query: 'zebra' }, place)).length, 1)
  await place.append({ ...undo, id: 'r2', derivation: null })
  assert.equal((await recall({ space: home, query: 'zebra' }, place)).length, 0)
})

test('an id in the view is not shadowed by the same id with other content in the tail', async (t) => {
  const place = await memory(t)
  await place.append(utterance(home, 'u1', 'true zebra'))
  await place.write('utterances', [await row(home, 'u1', 'Ada: true zebra')], 1)
  await place.append(utterance(home, 'u1', 'false zebra'))
  // With and without a hit in the view.
  assert.deepEqual(await readTail(home, place), [])
  const found = await recall({ space: home, query: 'false zebra' }, place)
  assert.deepEqual(
    found.map((said) => said.text),
    ['Ada: true zebra'],
  )
})

test('a long tail is read from its newest records, so a question stays fast while a history comes in', async (t) => {
  const place = await memory(t)
  const count = maxTailRecords + 10
  const said = (n: number) => ({ ...utterance(home, `u${n}`, `zebra${n}`), appendedAt: n })
  const records = Array.from({ length: count }, (_, n) => ({
    key: home,
    value: place.codec.encode(said(n)),
    timestamp: n,
  }))
  await place.log.append('utterances', records)
  const old = await answer({ space: home, query: 'zebra5' }, place)
  assert.deepEqual([old.items.filter(({ id }) => id === 'u5'), old.unsearched], [[], 10])
  const tools = { lexical_search: { query: 'zebra5' }, exact_pattern: { pattern: 'zebra5 ' } }
  for (const [name, input] of Object.entries(tools)) {
    const { ids, unsearched } = await runTool(name, input, { ...place, space: home })
    assert.deepEqual([ids, unsearched], [[], 10], name)
  }
  assert.equal((await contextBlock({ space: home }, place)).unsearched, 10)
  const calls = [{ id: 'c', name: 'lexical_search', input: '{"query": "zebra5"}' }]
  const model = { name: 'fake', turn: async () => ({ text: '', calls, tokens: 100_000 }) }
  assert.equal((await searchWithTools({ space: home, query: 'zebra5' }, place, model)).unsearched, 10)
  assert.equal((await recall({ space: home, query: `zebra${count - 1}` }, place))[0]?.id, `u${count - 1}`)
})

test('records of other spaces hide nothing, and the result has the number of unread records', async (t) => {
  const place = await memory(t)
  const partition = place.views.partitionOf(home)
  const other = ['a/b', 'b/c', 'c/d', 'd/e', 'e/f'].find((space) => place.views.partitionOf(space) === partition) ?? ''
  const value = place.codec.encode(utterance(other, 'foreign', 'zebra'))
  const others = (count: number) =>
    place.log.append(
      'utterances',
      Array.from({ length: count }, () => ({ key: other, value, timestamp: 0 })),
    )
  await place.append(utterance(home, 'u1', 'The zebra is mine'))
  await others(maxTailRecords + 10)
  const found = await answer({ space: home, query: 'zebra' }, place)
  assert.deepEqual([found.items.map(({ id }) => id), found.unsearched], [['u1'], undefined])
  await others(maxTailRead - maxTailRecords)
  const cut = await answer({ space: home, query: 'zebra' }, place)
  assert.deepEqual([cut.items, cut.unsearched], [[], 11])
})

test('a fact that only retired entries state is left out, however many other entries match better', async (t) => {
  const place = await memory(t)
  const fact = (name: string) => hash(name)
  const entry = async (id: string, facts: readonly string[], text: string, fields: Partial<Row> = {}) =>
    row(home, id, text, {
      document: 'd',
      title: 'Maya',
      heading: 'Home',
      statement: text,
      facts,
      sources: [],
      ...fields,
    })
  await place.write('facts', [
    await row(home, fact('lisbon'), 'Maya lives in Lisbon.', { sources: ['u1'] }),
    await row(home, fact('porto'), 'Maya lives in Porto.', { sources: ['u2'] }),
    await row(home, fact('cat'), 'Maya lives with a cat.', { sources: ['u3'] }),
    await row(home, fact('new'), 'Maya lives well.', { sources: ['u4'] }),
  ])
  const noise = Array.from({ length: 300 }, (_, n) =>
    entry(`n${n}`, [fact(`n${n}`)], 'Where does Maya live? Maya lives.'),
  )
  await place.write('entries', [
    ...(await Promise.all(noise)),
    await entry('e1', [fact('lisbon')], 'Unlike anything', { knownTo: 9 }),
    await entry('e2', [fact('porto')], 'Maya lives in Porto.'),
    await entry('e3', [fact('cat')], 'merged before', { knownTo: 9 }),
    await entry('e4', [fact('cat')], 'Maya lives with a cat.'),
  ])
  const found = await recall({ space: home, query: 'Where does Maya live?', kinds: ['fact'], limit: maxLimit }, place)
  assert.deepEqual(found.map((memory) => memory.id).sort(), [fact('porto'), fact('cat'), fact('new')].sort())
  const documents = await recall({ space: home, query: 'Maya', kinds: ['document'], limit: 1 }, place)
  assert.doesNotMatch(documents[0]?.text ?? '', /Unlike|merged/)
})

test('the result keeps to limit and kinds, and a kind that is requested twice is searched once', async (t) => {
  const place = await memory(t)
  for (const table of ['boxes', 'facts'] as const) {
    const rows = [0, 1, 2].map((n) => row(home, `${table}${n}`, `boat ${n}`, n === 0 ? { kind: 'plan' } : {}))
    await place.write(table, await Promise.all(rows))
  }
  const ids = async (request: object) =>
    (await recall({ space: home, query: 'boat', ...request }, place)).map(({ id }) => id)
  assert.equal((await ids({ limit: 2 })).length, 2)
  assert.deepEqual((await ids({ kinds: ['fact', 'fact'] })).sort(), ['facts0', 'facts1', 'facts2'])
  assert.deepEqual((await ids({ kinds: ['event', 'box'] })).length, 4)
})

test('until a damaged shard is rebuilt, the log is searched in its place, and the result names the shard', async (t) => {
  const place = await memory(t)
  const spaces = [
    home,
    ['acme/work', 'acme/boat', 'acme/garden'].find((each) => {
      return place.views.partitionOf(each) !== place.views.partitionOf(home)
    }) ?? '',
  ]
  for (const space of spaces) {
    await place.append(utterance(space, 'u1', 'The boat is blue.'))
    await place.write('utterances', [await row(space, 'u1', 'Ada: The boat is blue.')], 1)
  }
  const [damaged = '', intact = ''] = spaces
  const before = await Promise.all(spaces.map((space) => answer({ space, query: 'boat' }, place)))
  const shard = join(`p${place.views.partitionOf(damaged)}`, 'utterances.lance', 'data')
  for (const file of await readdir(place.folder, { recursive: true })) {
    if (file.includes(shard) && file.endsWith('.lance')) await writeFile(join(place.folder, file), 'garbage')
  }
  // A space in memory is served from there: the next reader of the files finds the damage.
  assert.deepEqual(await answer({ space: damaged, query: 'boat' }, place), before[0])
  place.views.forget()
  const embed = t.mock.fn(place.embedder.embed)
  const counted = { ...place, embedder: { ...place.embedder, embed } }
  for (const _ of ['found damaged', 'known to be damaged']) {
    embed.mock.resetCalls()
    const found = await answer({ space: damaged, query: 'boat' }, counted)
    const ofQuestion = embed.mock.calls.filter(({ arguments: [texts] }) => texts.includes('boat'))
    assert.equal(ofQuestion.length, 1, 'a search that is tried again embeds its question once')
    assert.deepEqual(
      found.items.map(({ id }) => id),
      ['u1'],
    )
    assert.deepEqual(found.rebuilding, [
      { topic: 'utterances', partition: place.views.partitionOf(damaged), reached: 0, end: 1 },
    ])
  }
  assert.deepEqual(await answer({ space: intact, query: 'boat' }, place), before[1])
  await place.write('utterances', [await row(damaged, 'u1', 'Ada: The boat is blue.')], 1)
  assert.deepEqual(await answer({ space: damaged, query: 'boat' }, place), before[0])
})

test('a deleted view reads as empty, and has its rows after it is rebuilt', async (t) => {
  const place = await memory(t)
  const ids = async () => (await recall({ space: home, query: 'boat' }, place)).map(({ id }) => id)
  await place.write('facts', [await row(home, 'f1', 'boat')])
  assert.deepEqual(await ids(), ['f1'])
  await rm(place.folder, { recursive: true })
  assert.deepEqual(await ids(), [])
  await place.write('facts', [await row(home, 'f2', 'boat')])
  assert.deepEqual(await ids(), ['f2'])
})
