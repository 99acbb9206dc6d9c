import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '@loomlog/views/row'
import { memory, row } from '../fixture.ts'
import { recall } from '../recall.ts'

const home = 'acme/home'

async function filled(t: Parameters<typeof memory>[0]) {
  const place = await memory(t)
  let seq = 0
  const entry = async (document: string, heading: string, text: string, fields: Partial<Row> = {}, space = home) => {
    seq += 1
    const id = `e${seq}`
    const entry = { document, title: document, heading, statement: text, sources: [`u${seq}`] }
    return row(space, id, `${heading}\n${text}`, { ...entry, seq, ...fields })
  }
  await place.write('documents', [
    await row(home, 'sailing', 'Sailing\nThe boat Andorinha and its crew.', { title: 'Sailing' }),
    await row(home, 'cooking', 'Cooking\nWhat the crew eats.', { title: 'Cooking' }),
  ])
  await place.write('entries', [
    await entry('sailing', 'Engine', 'The engine was repaired in May.'),
    await entry('sailing', 'Engine', 'It has twelve horsepower.'),
    await entry('sailing', 'Sails', 'The sail is blue.'),
    await entry('cooking', 'Soup', 'Soup is made on the engine.'),
    await entry('sailing', 'Engine', 'The engine was sold.', { knownTo: 5 }),
    await entry('sailing', 'Engine', 'A foreign engine.', {}, 'other/home'),
  ])
  return place
}

test('documents are chosen by summary and their partitions by words, whole and with all sources', async (t) => {
  const place = await filled(t)
  const { items } = await recall({ space: home, query: 'the engine of the boat', mode: 'documents' }, place)
  assert.deepEqual(
    items.map(({ id, kind, text, sources }) => ({ id, kind, text, sources })),
    [
      {
        id: 'e1',
        kind: 'document',
        text: '[sailing]\nEngine: The engine was repaired in May. It has twelve horsepower.',
        sources: ['u1', 'u2'],
      },
      { id: 'e4', kind: 'document', text: '[cooking]\nSoup: Soup is made on the engine.', sources: ['u4'] },
    ],
  )
})

test('partitions respect the budget and the time of the request, and come only in the mode documents', async (t) => {
  const place = await filled(t)
  const ask = { space: home, query: 'engine', mode: 'documents' } as const
  const before = await recall({ ...ask, asOf: { knownAt: 4 } }, place)
  assert.ok(before.items.some(({ text }) => text.includes('was sold')))
  const small = await recall({ ...ask, budgetTokens: 24 }, place)
  assert.equal(small.items.length, 1)
  assert.ok(small.tokens <= 24)
  await assert.rejects(recall({ ...ask, kinds: ['fact'] }, place), /kind is fact, which mode documents leaves out/)
  assert.deepEqual((await recall({ ...ask, space: 'acme/none' }, place)).items, [])
  assert.deepEqual((await recall({ ...ask, query: 'zebra' }, place)).items, [])
})
