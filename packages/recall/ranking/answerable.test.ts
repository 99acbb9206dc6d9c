import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memory, row } from '../fixture.ts'
import { recall } from '../recall.ts'

const home = 'acme/home'
const lines = [
  ['Bob', 'The weather turned, rain all week here'],
  ['Cleo', 'We baked bread and watched a film about whales'],
  ['Bob', 'I adopted a grey parrot from the shelter'],
  ['Cleo', 'Sounds lively! My bicycle has a flat tyre again'],
] as const

test('a question about an unmentioned subject or another speaker is less likely to have an answer', async (t) => {
  const place = await memory(t)
  const rows = lines.map(([speaker, words], at) =>
    row(home, `u${at}`, `${speaker}: ${words}`, { conversation: 'c', speaker, at: at * 30_000, offset: at }),
  )
  await place.write('utterances', await Promise.all(rows))
  const chance = async (query: string) => {
    const { answerable } = await recall({ space: home, query }, place)
    assert.ok(answerable !== undefined && answerable >= 0 && answerable <= 1, `${answerable}`)
    return answerable
  }
  const mentioned = await chance('Which parrot did Bob adopt?')
  assert.ok(mentioned > (await chance('Which parrot did Cleo adopt?')))
  assert.ok(mentioned > (await chance('Which violin did Bob sell?')))
})

test('an excluded memory adds no probability of an answer', async (t) => {
  const place = await memory(t)
  const rows = lines.map(([speaker, words], at) =>
    row(home, `u${at}`, `${speaker}: ${words}`, { conversation: 'c', speaker, at: at * 30_000, offset: at }),
  )
  await place.write('utterances', await Promise.all(rows))
  const chance = async (exclude: readonly string[]) =>
    (await recall({ space: home, query: 'Which parrot did Bob adopt?', exclude }, place)).answerable ?? 0
  assert.ok((await chance(['u2'])) < (await chance([])))
  assert.equal(await chance(['u0', 'u1', 'u2', 'u3']), 0)
})

test('an empty memory has no answer, and chosen kinds have no probability', async (t) => {
  const place = await memory(t)
  assert.equal((await recall({ space: home, query: 'parrot' }, place)).answerable, 0)
  await place.write('utterances', [await row(home, 'u1', 'Bob: I adopted a parrot')])
  assert.equal((await recall({ space: home, query: 'parrot', kinds: ['utterance'] }, place)).answerable, undefined)
})
