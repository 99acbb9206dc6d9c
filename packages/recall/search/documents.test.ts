import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memory, row } from '../fixture.ts'
import { recall } from '../recall.ts'

const home = 'acme/home'

test('a topic document whose found entries are in a found profile is left out; one that says more is not', async (t) => {
  const place = await memory(t)
  const entry = (id: string, document: string, kind: 'topic' | 'profile', statement: string) =>
    row(home, id, `Ann: ${statement}`, {
      document,
      kind,
      title: 'Ann',
      speaker: 'Ann',
      statement,
      facts: [],
      sources: ['u0'],
    })
  await place.write('entries', [
    await entry('a', 'alone', 'topic', 'Ann has a kiln.'),
    await entry('b', 'profile', 'profile', 'Ann has a kiln.'),
    await entry('c', 'pottery', 'topic', 'Ann has a kiln.'),
    await entry('d', 'pottery', 'topic', 'Ann bought a kiln.'),
  ])
  const { items } = await recall({ space: home, query: 'Does Ann have a kiln?', kinds: ['document'] }, place)
  assert.deepEqual(items.map(({ id }) => id).toSorted(), ['pottery', 'profile'])
})
