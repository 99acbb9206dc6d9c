import assert from 'node:assert/strict'
import { test } from 'node:test'
import { featureParts } from './contribution.ts'
import { explain, sumOfPart } from './explain.ts'
import { correction, lineage, memory, row } from './fixture.ts'
import { learnedWeights } from './ranking/weights.ts'
import { recall } from './recall.ts'

const [home, work] = ['acme/home', 'acme/work']

async function filled(t: Parameters<typeof memory>[0]) {
  const place = await memory(t)
  const said = [
    'I sold the boat in Porto.',
    'Really?',
    'The boat had a blue sail.',
    'Lunch was good.',
    'My boat is gone.',
  ]
  const rows = await Promise.all(said.map((text, n) => row(home, `u${n}`, `Ada: ${text}`, { at: n, offset: n })))
  await place.write('utterances', [...rows, await row(work, 'u0', 'Ada: The boat of work.')])
  await place.write('facts', [
    await row(home, 'f1', 'Ada sold her boat.', { sources: ['u0'] }),
    await row(home, 'f2', 'The boat is in Porto.', { sources: ['gone'] }),
  ])
  return place
}

test('an explained recall takes the same items as recall, and has the outcome of every candidate', async (t) => {
  const place = await filled(t)
  for (const request of [
    { space: home, query: 'What happened to the boat?', limit: 2 },
    { space: [home, work], query: 'boat', budgetTokens: 25 },
    { space: home, query: 'boat', kinds: ['utterance', 'fact'] as const, limit: 3 },
  ]) {
    const [plain, explained] = [await recall(request, place), await explain(request, place)]
    const { bias: _bias, understood: _understood, candidates, ...rest } = explained
    assert.deepEqual(rest, plain)
    assert.equal(candidates.length, plain.items.length + plain.leftOut.length)
    const taken = candidates.filter(({ outcome }) => outcome === 'taken')
    const ids = (items: readonly { readonly space: string; readonly id: string }[]) =>
      items.map(({ space, id }) => `${space} ${id}`).sort()
    assert.deepEqual(ids(taken), ids(plain.items))
    const left = [...new Set(candidates.map(({ outcome }) => outcome))].filter((outcome) => outcome !== 'taken')
    assert.deepEqual(left.sort(), 'budgetTokens' in request ? ['budget', 'unlikely'] : ['limit'])
    for (const { id, tokens } of taken) {
      assert.equal(plain.items.find((item) => item.id === id && item.tokens === tokens)?.id, id)
    }
  }
})

test('contributions and bias add up to the score, part by part, and name features with a weight', async (t) => {
  const place = await filled(t)
  const { bias, candidates } = await explain({ space: home, query: 'Why is the boat gone?' }, place)
  assert.deepEqual(new Set(candidates.map(({ kind }) => kind)), new Set(['utterance', 'fact']))
  for (const candidate of candidates) {
    const sum = featureParts.reduce((total, part) => total + sumOfPart(part, candidate), bias)
    assert.ok(Math.abs(1 / (1 + Math.exp(-sum)) - candidate.score) < 1e-9, candidate.id)
    for (const { feature, value, weight, contribution } of candidate.contributions) {
      assert.equal(weight, learnedWeights.features[feature])
      assert.equal(contribution, value * weight)
    }
  }
  const byFact = candidates.find(({ id }) => id === 'u0')
  assert.ok(byFact && sumOfPart('words', byFact) > 0)
})

test('a replacement with the score of the memory it replaces names that memory', async (t) => {
  const place = await memory(t)
  await place.write('utterances', [
    await row(home, 'u0', 'Maya: I live in Lisbon.', { speaker: 'Maya' }),
    await row(home, 'u1', 'Maya: Lunch was good.', { speaker: 'Maya', at: 1, offset: 1 }),
  ])
  const fields = { sources: ['c1'], correction: correction('replace'), lineage: lineage('c1', 'u0') }
  await place.write('facts', [await row(home, 'f1', 'Her home is Braga.', fields)])
  const { bias, candidates } = await explain({ space: home, query: 'Where does Maya live?' }, place)
  const of = (wanted: string) => candidates.find(({ id }) => id === wanted)
  assert.deepEqual([of('f1')?.raisedBy, of('f1')?.score, of('u1')?.raisedBy], ['u0', of('u0')?.score, undefined])
  for (const { contributions, score, raisedBy } of candidates) {
    const sum = contributions.reduce((total, { contribution }) => total + contribution, bias)
    const own = 1 / (1 + Math.exp(-sum))
    assert.ok(raisedBy === undefined ? Math.abs(own - score) < 1e-9 : own < score)
  }
})

test('the same id in two spaces is two candidates', async (t) => {
  const place = await memory(t)
  for (const space of [home, work]) await place.write('utterances', [await row(space, 'u0', 'Ada: the boat')])
  const request = { space: [home, work], query: 'boat', limit: 1 }
  const { items, leftOut, candidates } = await explain(request, place)
  assert.deepEqual(
    candidates.map(({ space, outcome }) => [space, outcome]),
    [
      [items[0]?.space, 'taken'],
      [leftOut[0]?.space, 'limit'],
    ],
  )
})
