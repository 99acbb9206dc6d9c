import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { lineage, memory, row, type TableName, utterance } from '../fixture.ts'
import { type Lineage, why } from './why.ts'

const home = 'acme/home'

/** One memory of each kind, each derived from the one before. */
async function chain(place: Awaited<ReturnType<typeof memory>>) {
  const write = async (table: TableName, id: string, offset: number, fields: object) =>
    place.write(table, [await row(home, id, `${id} text`, { offset, ...fields })])
  await write('utterances', 'said', 1, {})
  await write('boxes', 'box', 2, {
    topic: 'boats',
    sources: ['said'],
    lineage: lineage('the pause that sealed it'),
  })
  await write('facts', 'fact', 3, { lineage: lineage('box') })
  await write('facts', 'happened', 4, { lineage: lineage('box') })
  await write('links', 'link', 5, { lineage: lineage('happened') })
  await write('entries', 'entry', 6, { document: 'document', lineage: lineage('fact') })
  // Its last description is of a missing fact. The lineage of a document is its entries.
  await write('documents', 'document', 7, { lineage: lineage('long gone') })
}

function leaves(of: Lineage): string[] {
  return of.causes.length === 0 ? [of.id] : of.causes.flatMap(leaves)
}

test('every kind leads back to the utterances, each step with its record', async (t) => {
  const place = await memory(t)
  await chain(place)
  const kinds = { said: 'utterance', box: 'box', fact: 'fact', happened: 'fact', link: 'link', entry: 'entry' }
  const expected = Object.entries({ ...kinds, document: 'document' })
  for (const [index, [id, kind]] of expected.entries()) {
    const found = await why(id, home, place)
    assert.equal(found.kind, kind)
    assert.equal(found.record.offset, index + 1)
    assert.deepEqual([...new Set(leaves(found))], ['said'])
    assert.equal(found.derivation, kind === 'utterance' ? null : 'd1')
  }
})

test('an utterance of the log tail has its record in the log', async (t) => {
  const place = await memory(t)
  await place.append(utterance(home, 'u1', 'zebra'))
  const { kind, text, record } = await why('u1', home, place)
  assert.deepEqual([kind, text, record.topic, record.offset], ['utterance', 'Ada: zebra', 'utterances', 0])
})

test('the kind of a correction is correction, not utterance', async (t) => {
  const place = await memory(t)
  const correction = { action: 'retract', by: 'Ada', role: 'human', reason: null, target: null }
  await place.write('utterances', [await row(home, 'c1', 'Ada: retract "zebra"', { correction, knownTo: 1 })])
  assert.equal((await why('c1', home, place)).kind, 'correction')
})

test('an id of another space and an unknown id are not found', async (t) => {
  const place = await memory(t)
  await chain(place)
  await place.write('utterances', [], 9)
  for (const [id, space] of [
    ['nothing', home],
    ['', home],
    ["' or '1'='1", home],
    ['fact', 'acme/work'],
    ['said', 'other/home'],
  ] as const) {
    await assert.rejects(why(id, space, place), (error) => isLoomlogError(error, 'not-found'))
  }
  await place.append(utterance(home, 'u1', 'zebra'))
  await assert.rejects(why('u1', 'acme/work', place), (error) => isLoomlogError(error, 'not-found'))
})

test('a cycle of causes, which no stage makes, ends', async (t) => {
  const place = await memory(t)
  const made = (of: string) => ({ lineage: lineage(of) })
  await place.write('facts', [await row(home, 'a', 'a', made('b')), await row(home, 'b', 'b', made('a'))])
  assert.equal((await why('a', home, place)).id, 'a')
})
