import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memory, row } from '../fixture.ts'
import { recall } from '../recall.ts'
import { candidatesWhere, type FeaturedCandidates } from './rank-utterances.ts'

const home = 'acme/home'
type TestMemory = Awaited<ReturnType<typeof memory>>

/** Writes turns of one conversation, half a minute apart. */
async function say(
  place: TestMemory,
  conversation: string,
  ...lines: readonly (readonly [speaker: string, words: string])[]
) {
  const rows = lines.map(([speaker, words], at) => {
    const fields = { conversation, speaker, at: at * 30_000, offset: at }
    return row(home, `${conversation}${at + 1}`, `${speaker}: ${words}`, fields)
  })
  await place.write('utterances', await Promise.all(rows))
}

const best = async (place: TestMemory, query: string) => {
  const { items } = await recall({ space: home, query }, place)
  return items.map(({ id }) => id)
}

const smallTalk = [
  ['Bob', 'The weather turned, rain all week here'],
  ['Cleo', 'We baked bread and watched a film about whales'],
  ['Bob', 'My bicycle has a flat tyre again'],
  ['Cleo', 'The library opens a new reading room'],
] as const

test('of two equal utterances, the one by the named speaker ranks first', async (t) => {
  const place = await memory(t)
  await say(place, 'a', ...smallTalk, ['Cleo', 'I adopted a grey parrot'], ...smallTalk, [
    'Bob',
    'I adopted a grey parrot',
  ])
  const found = await best(place, 'Did Bob adopt a parrot?')
  assert.equal(found[0], 'a10')
})

test('an answer is found by the words of the question before it', async (t) => {
  const place = await memory(t)
  await say(place, 'a', ...smallTalk, ['Cleo', 'What did you name the parrot?'], ['Bob', 'Captain Flint'], ...smallTalk)
  assert.ok((await best(place, "What is the name of Bob's parrot?")).slice(0, 2).includes('a6'))
})

test('a fact adds to the score of its utterance and is not returned beside it', async (t) => {
  const place = await memory(t)
  await say(place, 'a', ...smallTalk, ['Bob', 'He is called that'], ...smallTalk)
  await place.write('facts', [await row(home, 'f1', "Bob's parrot is called Captain Flint.", { sources: ['a5'] })])
  const { items } = await recall({ space: home, query: "What is Bob's parrot called?" }, place)
  assert.equal(items[0]?.id, 'a5')
  assert.ok(items.every(({ kind }) => kind === 'utterance'))
})

test('scores are probabilities, and an utterance without an answer has a low one', async (t) => {
  const place = await memory(t)
  await say(place, 'a', ...smallTalk, ['Bob', 'I adopted a grey parrot'])
  const { items } = await recall({ space: home, query: 'What did Bob adopt?' }, place)
  assert.ok(items.every(({ score }) => score > 0 && score < 1))
  assert.ok((items[0]?.score ?? 0) > 5 * (items.at(-1)?.score ?? 1))
})

test('a condition is evaluated once for each candidate', () => {
  const candidates = ['a', 'b', 'c'].map((id) => ({ memory: { id }, role: 'human' }))
  const features = new Map([['words', Float64Array.of(1, 2, 3)]])
  const featured = { candidates, features } as unknown as FeaturedCandidates
  const tested: string[] = []
  const kept = candidatesWhere(featured, ({ id }) => tested.push(id) > 0 && id !== 'b')
  assert.deepEqual(tested, ['a', 'b', 'c'])
  assert.deepEqual(
    kept.candidates.map(({ memory }) => memory.id),
    ['a', 'c'],
  )
  assert.deepEqual([...(kept.features.get('words') ?? [])], [1, 3])
})
