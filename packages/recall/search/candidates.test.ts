import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { memory, row, utterance } from '../fixture.ts'
import { findFeaturedCandidates, textsToEmbed } from '../ranking/rank-utterances.ts'
import { recall } from '../recall.ts'
import { checkRequest } from '../request/request.ts'

/**
 * The parts of the search for candidates. 320 utterances of the space are nearer to the question than the answers, by
 * words and by meaning, and only one part of the search leads to each answer.
 */
const home = 'acme/home'
/** The watermark of the view. */
const seen = 500
const question = 'Where does the zebra of Porto sleep?'
const dimensions = 8

/** One vector for texts with a question mark, and one for all others, so that a question and its statement differ. */
const axis = (at: number) => new Float32Array(dimensions).map((_, n) => Number(n === at))
const [asked, told, apart] = [axis(0), axis(1), axis(2)]
const nearly = asked.map((value, at) => value + 0.1 * (axis(3)[at] ?? 0))
const embed = async (texts: readonly string[]) => texts.map((text) => (text.endsWith('?') ? asked : told))

async function crowded(t: TestContext) {
  const place = await memory(t)
  const { vectorSpace, close } = place.embedder
  const others = Array.from({ length: 320 }, (_, n) => {
    const fields = { conversation: `other${n}`, at: n * 86_400_000, offset: n, vector: nearly }
    return row(home, `other${n}`, `Ada: A zebra from Porto, number ${n}`, fields)
  })
  const wanted = ['a1', 'a2', 'cited', 'happened', 'told']
  const said = [
    'Which bed has the zebra of Porto to sleep in?',
    'The hammock!',
    'He likes it.',
    'So it went.',
    'Under the bridge.',
  ]
  const rows = said.map((words, n) => {
    const when = { conversation: n < 2 ? 'a' : `c${n}`, at: n < 2 ? n * 30_000 : n * 1e9, offset: 400 + n }
    return row(home, wanted[n] ?? '', `Ada: ${words}`, { ...when, vector: [asked, null, null, null, told][n] ?? null })
  })
  await place.write('utterances', await Promise.all([...others, ...rows]), seen)
  const of = (source: string, kind: 'event' | 'state') => ({ sources: [source], vector: asked, kind })
  await place.write('facts', [
    await row(home, 'f1', 'The zebra of Porto sleeps in a hammock.', of('cited', 'state')),
    await row(home, 'e1', 'The zebra of Porto slept.', of('happened', 'event')),
  ])
  return { ...place, embedder: { vectorSpace, embed, close } }
}

type TestMemory = Awaited<ReturnType<typeof crowded>>

async function candidatesFor(place: TestMemory, query = question) {
  const { scope } = checkRequest({ space: home, query })
  const vectors = await place.embedder.embed(textsToEmbed(query))
  const { candidates, features } = await findFeaturedCandidates(
    { space: home, query, vectors, scope, withEvents: true },
    place,
  )
  const ids = candidates.map(({ memory: { id } }) => id)
  return { ids, value: (feature: string, id: string) => features.get(feature)?.[ids.indexOf(id)] ?? 0 }
}

test('each part of the search leads to a candidate that no other part finds', async (t) => {
  const place = await crowded(t)
  const { ids, value } = await candidatesFor(place)

  await t.test('the neighbours of the best utterances are candidates', () => {
    assert.ok(ids.includes('a2'))
  })
  await t.test('an utterance that a fact cites is a candidate, and the fact adds to its score', () => {
    assert.ok(ids.includes('cited'))
    assert.ok(value('fact meaning', 'cited') > 0.9 && value('fact meaning', 'other1') === 0)
  })
  await t.test('an utterance that an event cites is a candidate', () => {
    assert.ok(ids.includes('happened'))
    assert.ok(value('event meaning', 'happened') > 0.9 && value('event meaning', 'cited') === 0)
  })
  await t.test('the question is searched as a statement', () => {
    assert.ok(ids.includes('told'))
    assert.ok(value('statement meaning share', 'told') > 0.9 && value('statement meaning share', 'other1') < 0.1)
  })
  await t.test('an utterance of the log tail is compared by its meaning', async () => {
    const value = place.codec.encode(utterance(home, 'new', 'Under the bridge of Porto.'))
    await place.log.append('utterances', [{ key: home, value, timestamp: 0 }])
    const tail = await candidatesFor(place)
    assert.ok(tail.value('statement meaning share', 'new') > 0.9)
  })
})

test('without hits of the vector search, no candidate is nearer to the question than one that was compared with it', async (t) => {
  const place = { ...(await memory(t)), embedder: { ...(await memory(t)).embedder, embed } }
  await place.write('facts', [await row(home, 'f1', 'The zebra of Porto.', { sources: ['gone'], vector: null })])
  for (let n = 0; n < 20; n += 1) await place.append(utterance(home, `t${n}`, `Zebra ${n}.`))
  const { ids, value } = await candidatesFor(place)
  assert.ok(ids.includes('t0') && ids.includes('f1'))
  for (const id of ['t0', 'f1']) {
    assert.ok(value('statement meaning', id) <= value('statement meaning', 't19'), id)
    assert.ok(value('meaning', id) <= value('meaning', 't19'), id)
  }
})

test('single kinds are found by their meaning too, and documents by their summary', async (t) => {
  const place = { ...(await memory(t)), embedder: { ...(await memory(t)).embedder, embed } }
  const of = (vector: Float32Array, fields: object = {}) => ({ ...fields, vector })
  await place.write('facts', [
    await row(home, 'a', 'A teapot.', of(apart)),
    await row(home, 'b', 'A hammock.', of(asked)),
    await row(home, 'c', 'A teapot.', of(apart)),
  ])
  const ids = async (kind: 'fact' | 'document', query: string) =>
    (await recall({ space: home, query, kinds: [kind] }, place)).items.map(({ id }) => id)
  assert.equal((await ids('fact', 'Where does it sleep?'))[0], 'b')

  const entry = (document: string) => of(apart, { document, title: document, heading: 'Beds', statement: 'A bed.' })
  for (const table of ['entries', 'documents'] as const) {
    const rows = ['a', 'b', 'c'].map((id) =>
      table === 'entries'
        ? row(home, `e${id}`, 'A bed.', entry(id))
        : row(home, id, id === 'b' ? 'Zebras\nOf Porto.' : 'Teapots\nAll of them.', of(apart, { title: id })),
    )
    await place.write(table, await Promise.all(rows))
  }
  assert.equal((await ids('document', 'Which bed has the zebra of Porto?'))[0], 'b')
})
