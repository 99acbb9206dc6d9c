import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hash } from '@loomlog/schemas/ids'
import { memory, row } from '../fixture.ts'
import { recall } from '../recall.ts'

const home = 'acme/home'
const hour = 3_600_000

/** Utterances without facts. */
async function utterances(
  t: Parameters<typeof memory>[0],
  ...said: readonly (readonly [speaker: string, text: string, role?: 'human' | 'agent'])[]
) {
  const place = await memory(t)
  const rows = said.map(([speaker, text, role = 'human'], n) =>
    row(home, `u${n}`, `${speaker}: ${text}`, { speaker, role, conversation: 'a', at: n * hour, offset: n }),
  )
  await place.write('utterances', await Promise.all(rows))
  return async (query: string, exclude: readonly string[] = []) =>
    (await recall({ space: home, query, exclude }, place)).items
}

test('the utterance that states a change comes before the outdated one, which is marked', async (t) => {
  const found = await utterances(
    t,
    ['Priya', 'Our budget for the migration is 80k until the end of June.'],
    ['Ines', 'What a lovely budget for a migration.'],
    ['Priya', 'The budget went from 80k to 65k.'],
  )
  const items = await found('What is the budget for the migration until the end of June?')
  const places = ['u0', 'u2'].map((id) => items.findIndex((item) => item.id === id))
  assert.ok((places[1] ?? 9) < (places[0] ?? 0), `u2 before u0: ${items.map((item) => item.id)}`)
  assert.deepEqual(
    items.flatMap(({ id, replacedBy }) => (replacedBy ? [[id, replacedBy]] : [])),
    [['u0', ['u2']]],
  )
})

test('an outdated utterance lists all of its changes, and the last one is current', async (t) => {
  const found = await utterances(
    t,
    ['Noor', 'rent is 400 euros each'],
    ['Noor', 'the rent went from 400 euros to 430 euros each'],
    ['Noor', 'the rent went from 430 euros to 344 euros each'],
  )
  const items = await found('How much is the rent each?')
  const replacedBy = new Map(items.map((item) => [item.id, item.replacedBy?.toSorted()]))
  assert.deepEqual(
    [replacedBy.get('u0'), replacedBy.get('u1'), replacedBy.get('u2')],
    [['u1', 'u2'], ['u2'], undefined],
  )
  assert.equal(items[0]?.id, 'u2')
})

test('only the same person outdates an utterance: no agent, no other person, and no report of other people', async (t) => {
  const budget = (amount: string) => `Our budget for the migration is ${amount} until the end of June.`
  const change = 'The budget went from 80k to 65k.'
  const outdated = async (by: string, said: string, role: 'human' | 'agent' = 'human') => {
    const found = await utterances(t, ['Priya', budget('80k'), role], [by, said, role])
    const items = await found('What is the budget for the migration until the end of June?')
    return items.flatMap(({ id, replacedBy }) => (replacedBy ? [id] : []))
  }
  assert.deepEqual(await outdated('Priya', change), ['u0'])
  assert.deepEqual(await outdated('Priya', change, 'agent'), [])
  assert.deepEqual(await outdated('Max', change), [])
  assert.deepEqual(await outdated('Priya', 'Finance says the budget went from 80k to 65k.'), [])
})

test('a change for one customer outdates no statement about another', async (t) => {
  const found = await utterances(
    t,
    ['Priya', 'The yearly order of Heron costs 80k.'],
    ['Priya', 'The yearly order of Osprey went from 80k to 65k.'],
  )
  const items = await found('What does the yearly order of Heron cost?')
  assert.ok(items.every(({ replacedBy }) => replacedBy === undefined))
})

test('a recorded replacement that changes none of the matched sentences outdates the whole message', async (t) => {
  const place = await memory(t)
  const lines = ['I live in Graz. The rent is 600 euros.', 'Off to Linz!', 'The rent is 650 euros now.']
  const spoken = lines.map((text, n) =>
    row(home, `u${n}`, `Nils: ${text}`, { speaker: 'Nils', conversation: 'a', at: n * hour, offset: n }),
  )
  await place.write('utterances', await Promise.all(spoken))
  const fact = (name: string, source: string) => row(home, hash(name), `Nils lives in ${name}.`, { sources: [source] })
  await place.write('facts', [await fact('Graz', 'u0'), await fact('Linz', 'u1')])
  const entry = (id: string, name: string, fields: object) =>
    row(home, id, name, { document: 'd', facts: [hash(name)], ...fields })
  await place.write('entries', [
    await entry('e0', 'Graz', { sources: ['u0'], replacedBy: 'e1', knownTo: 1, validTo: 1 }),
    await entry('e1', 'Linz', { sources: ['u1', 'u2'] }),
  ])
  const { items } = await recall({ space: home, query: 'Where does Nils live, and how much is the rent?' }, place)
  const old = items.find(({ id }) => id === 'u0')
  assert.deepEqual([new Set(old?.replacedBy), old?.outdated], [new Set(['u1', 'u2']), undefined])
})

test('excluded utterances are left out', async (t) => {
  const found = await utterances(t, ['Ann', 'I keep bees in Ghent.'], ['Ann', 'Where do I keep bees?'])
  const ids = (await found('Where do I keep bees?', ['u1'])).map((item) => item.id)
  assert.deepEqual(ids, ['u0'])
})

test('an utterance whose fact is the current answer does not rise above the change that outdates it', async (t) => {
  const place = await memory(t)
  const lines = [
    ['Maya', 'My flat is in Lisbon, by the river, with a view of the boats and the bridge.'],
    ['Maya', 'I moved my flat from Lisbon to Porto.'],
    ['Maya', 'I live well.'],
  ] as const
  const spoken = lines.map(([speaker, text], n) =>
    row(home, `u${n}`, `${speaker}: ${text}`, { speaker, conversation: 'a', at: n * hour, offset: n }),
  )
  await place.write('utterances', await Promise.all(spoken))
  const statement = { subject: 'Maya', relation: 'lives in', object: 'Lisbon', role: 'human' }
  await place.write('facts', [
    await row(home, hash('old'), 'Maya lives in Lisbon.', { ...statement, sources: ['u0'] }),
    await row(home, hash('other'), 'Maya does live well.', { ...statement, subject: 'Friends', sources: ['u2'] }),
  ])
  const { items } = await recall({ space: home, query: 'Where does Maya live?' }, place)
  const placeOf = (id: string) => items.findIndex((item) => item.id === id)
  assert.ok(placeOf('u1') < placeOf('u0'), `u1 before u0: ${items.map(({ id }) => id)}`)
})
