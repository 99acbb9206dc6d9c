import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hash } from '@loomlog/schemas/ids'
import { correction, lineage, memory, row } from '../fixture.ts'
import { recall } from '../recall.ts'
import type { RecallRequest } from '../request/request.ts'
import { withReplacements } from './replacements.ts'

const home = 'acme/home'

/** Maya lived in Lisbon, then in Porto, and lives in Braga. Each of her utterances has its own words. */
async function moving(t: Parameters<typeof memory>[0]) {
  const place = await memory(t)
  const homes = ['lisbon', 'porto', 'braga'] as const
  const said = [
    'I live in Lisbon.',
    'Boxes everywhere, the river is lovely!',
    'Another van, another flat, further north.',
  ]
  const [utterances, facts, entries] = await Promise.all([
    Promise.all(said.map((text, n) => row(home, `u${n}`, `Maya: ${text}`, { speaker: 'Maya', at: n * 1e9 }))),
    Promise.all(homes.map((name, n) => row(home, hash(name), `Maya lives in ${name}.`, { sources: [`u${n}`] }))),
    Promise.all(
      homes.map((name, n) => {
        const stated = { document: 'd', facts: [hash(name)], sources: [`u${n}`] }
        const over = n < 2 && { knownTo: 100 * (n + 1), validTo: 10 * (n + 1) }
        return row(home, `e${n}`, name, {
          ...(n < 2 ? { ...stated, replacedBy: `e${n + 1}` } : stated),
          ...over,
        })
      }),
    ),
  ])
  await place.write('utterances', [...utterances, await row(home, 'other', 'Jon: We live on bread.', { at: 5 })])
  await place.write('facts', facts)
  await place.write('entries', entries)
  return place
}

const asked = async (place: Awaited<ReturnType<typeof memory>>, asOf: RecallRequest['asOf'] = {}) => {
  const { items } = await recall({ space: home, query: 'Where does Maya live?', asOf }, place)
  return new Map(items.map((item) => [item.id, item]))
}

test('an outdated memory comes with its current replacement, as likely as itself, after any number of replacements', async (t) => {
  const place = await moving(t)
  const found = await asked(place)
  assert.deepEqual([found.get('u0')?.replacedBy, found.get('u1')?.replacedBy], [['u2'], ['u2']])
  assert.deepEqual([found.get('u2')?.replacedBy, found.get('other')?.replacedBy], [undefined, undefined])
  assert.ok((found.get('u2')?.score ?? 0) >= (found.get('u0')?.score ?? 1))
  const { text } = await recall({ space: home, query: 'Where does Maya live?', budgetTokens: 100 }, place)
  assert.match(text, /I live in Lisbon\. \(since changed\)\n/)
  assert.match(text, /further north\.\n/)
})

test('as of a time, the replacement is the one of that time; before the first there is none', async (t) => {
  const place = await moving(t)
  assert.deepEqual((await asked(place, { knownAt: 150 })).get('u0')?.replacedBy, ['u1'])
  assert.equal((await asked(place, { knownAt: 50 })).get('u0')?.replacedBy, undefined)
})

test('a corrected memory is replaced by the fact of the correction', async (t) => {
  const place = await memory(t)
  await place.write('utterances', [
    await row(home, 'u0', 'Maya: I live in Lisbon.'),
    await row(home, 'u1', 'Jon: Yes.'),
  ])
  const corrected = { sources: ['c1'], correction: correction('replace'), lineage: lineage('c1', 'u0') }
  const pinned = { sources: ['u1', 'c2'], correction: correction('pin'), lineage: lineage('c2', 'u1') }
  await place.write('facts', [
    await row(home, hash('braga'), 'Maya lives in Braga.', corrected),
    await row(home, hash('pin'), 'Maya lives well.', pinned),
  ])
  const found = await asked(place)
  assert.deepEqual([found.get('u0')?.replacedBy, found.get('u1')?.replacedBy], [[hash('braga')], undefined])
})

test('a correction without a word of the question comes too, and the corrected memory is marked', async (t) => {
  const place = await memory(t)
  await place.write('utterances', [await row(home, 'u0', 'Maya: I live in Lisbon.', { speaker: 'Maya' })])
  const corrected = { sources: ['c1'], correction: correction('replace'), lineage: lineage('c1', 'u0') }
  await place.write('facts', [await row(home, hash('braga'), 'Her home is Braga.', corrected)])
  const found = await asked(place)
  assert.deepEqual([found.get('u0')?.replacedBy, found.get(hash('braga'))?.kind], [[hash('braga')], 'fact'])
})

test('a correction that no search finds comes through the entry that its own entry replaced', async (t) => {
  const place = await memory(t)
  await place.write('utterances', [
    await row(home, 'u0', 'Maya: I live in Lisbon.', { speaker: 'Maya' }),
    await row(home, 'u1', 'Jon: Yes.'),
  ])
  const nearer = Array.from({ length: 130 }, (_, n) =>
    row(home, hash(n), 'Maya has cats that live well.', { sources: ['u1'] }),
  )
  const old = await row(home, hash('old'), 'Maya does live.', { sources: ['u0'] })
  const added = { sources: ['c1'], correction: correction('add'), lineage: lineage('c1') }
  await place.write('facts', [...(await Promise.all(nearer)), old, await row(home, hash('new'), 'Braga it is.', added)])
  const entry = (id: string, fields: object) => ({ document: 'd', facts: [hash(id)], ...fields })
  await place.write('entries', [
    await row(home, 'e0', 'old', { ...entry('old', { sources: ['u0'], replacedBy: 'e1' }), knownTo: 1, validTo: 1 }),
    await row(home, 'e1', 'new', entry('new', { sources: ['c1'] })),
  ])
  const found = await asked(place)
  assert.deepEqual([found.get('u0')?.replacedBy, found.get(hash('new'))?.text], [[hash('new')], 'Braga it is.'])
})

test('scores only rise, and only candidates are named as replacements', () => {
  const spoken = { text: 'Ann: Yes.', speaker: 'Ann' }
  const scored = [
    { id: 'old', score: 0.5, ...spoken },
    { id: 'new', score: 0.25, ...spoken },
    { id: 'best', score: 0.75, ...spoken },
  ]
  const replaced = new Map([
    ['old', { by: ['new', 'gone', 'best'], sentences: null }],
    ['best', { by: ['gone'], sentences: null }],
  ])
  assert.deepEqual(withReplacements(scored, replaced, 'Who?'), [
    { id: 'old', score: 0.5, ...spoken, replacedBy: ['new', 'best'] },
    { id: 'new', score: 0.5, ...spoken, raisedBy: 'old' },
    { id: 'best', score: 0.75, ...spoken },
  ])
})

test('the replacement of one sentence rises only for a question about this sentence', () => {
  const scored = [
    { id: 'old', score: 0.5, text: 'Rosa: I moved to Linz. Rosa pays 600 euros of rent in Linz.', speaker: 'Rosa' },
    { id: 'new', score: 0.25, text: 'Rosa: They raised it to 650.', speaker: 'Rosa' },
  ]
  const sentences = new Map([['Rosa pays 600 euros of rent in Linz.', new Set(['new'])]])
  const risesFor = (query: string) =>
    withReplacements(scored, new Map([['old', { by: ['new'], sentences }]]), query)[1]?.raisedBy === 'old'
  assert.deepEqual(['How much is the rent?', 'How much is the rent in Linz?'].map(risesFor), [true, true])
  assert.deepEqual(['Where does Rosa live?', 'When did Rosa move to Linz?'].map(risesFor), [false, false])
})
