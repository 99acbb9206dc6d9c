import assert from 'node:assert/strict'
import { test } from 'node:test'
import { correction, lineage, memory, row } from '../fixture.ts'
import { recall } from '../recall.ts'

const home = 'acme/home'
type TestMemory = Awaited<ReturnType<typeof memory>>

const lines = [
  ['Tomas', 'I live in Lisbon, by the river.'],
  ['Maya', 'The library there has a new reading room.'],
  ['Tomas', 'My bicycle has a flat tyre again.'],
  ['Maya', 'I adopted a grey parrot in Evora.'],
  ['Tomas', 'What did you name the parrot?'],
  ['Maya', 'Captain Flint!'],
] as const

async function talking(t: Parameters<typeof memory>[0]) {
  const place = await memory(t)
  const rows = lines.map(([speaker, words], n) =>
    row(home, `u${n}`, `${speaker}: ${words}`, { conversation: 'a', speaker, at: n * 30_000, offset: n }),
  )
  await place.write('utterances', await Promise.all(rows))
  return place
}

/** The row that the materializer writes for a correction: in a conversation, without an utterance. */
async function correct(
  place: TestMemory,
  corrections: readonly (readonly [text: string, corrected: readonly string[]])[],
) {
  const rows = corrections.map(([text, corrected], n) => {
    const stated = correction(corrected.length > 0 ? 'replace' : 'add')
    const fields = { sources: [`c${n}`], correction: stated, lineage: lineage(`c${n}`, ...corrected) }
    return row(home, `f${n}`, text, { ...fields, conversation: 'a', speaker: 'Ops', at: 45_000 })
  })
  await place.write('facts', await Promise.all(rows))
}

const found = async (place: TestMemory, query: string) => (await recall({ space: home, query }, place)).items

test('an added fact without an answer ranks after the answers and changes nothing about them', async (t) => {
  const place = await talking(t)
  const queries = ['Where does Tomas live?', 'What did Maya adopt?', "What is the name of Maya's parrot?"]
  const said = await Promise.all(queries.map((query) => found(place, query)))
  await correct(place, [
    ['Tomas has a dentist, Dr. Silva.', []],
    ["Maya's blood type is zero negative.", []],
    ['Tomas and Maya wear red shoes.', []],
  ])
  for (const [at, query] of queries.entries()) {
    const [best] = await found(place, query)
    assert.equal(best?.id, said[at]?.[0]?.id, query)
  }
})

test('an added fact that answers the question ranks first, with the probability of an utterance', async (t) => {
  const place = await talking(t)
  await correct(place, [
    ["Maya's blood type is zero negative.", []],
    ['Tomas and Maya wear red shoes.', []],
  ])
  const [first, second] = await found(place, 'Which blood type does Maya have?')
  assert.deepEqual([first?.id, first?.kind], ['f0', 'fact'])
  assert.ok((first?.score ?? 1) < 1 && (first?.score ?? 0) > 2 * (second?.score ?? 1))
})

test('a correction ranks before the utterance it corrects', async (t) => {
  const place = await talking(t)
  await correct(place, [
    ['Tomas lives in Faro.', ['u0']],
    ['Maya has a library card.', []],
  ])
  const [first, second] = await found(place, 'Where does Tomas live?')
  assert.deepEqual([first?.id, second?.id, second?.replacedBy], ['f0', 'u0', ['f0']])
})
