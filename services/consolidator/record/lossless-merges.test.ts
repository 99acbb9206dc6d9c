/** Merges that would lose a statement, although each of them is harmless with the words that the plan was shown. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, consolidatorHarness, correctionFact, fact, placedBy, retraction, shownEntries } from '../fixture.ts'

const texts = (entries: readonly { readonly text: string }[]) => entries.map((entry) => entry.text)
const has = (object: string) => fact({ subject: 'Maya', relation: 'has', object, persons: ['Maya'] })
const [mergeAll, mergeNone] = [
  placedBy((_, input) => ({ same: shownEntries(input).map(({ label }) => label) })),
  placedBy(),
]

/** The facts of `before` get an entry each. The plan of `batch` merges every fact with all offered entries. */
async function memoryAfterMerge(before: readonly ReturnType<typeof fact>[], batch: typeof before) {
  let now = mergeNone
  const memory = consolidatorHarness({
    answers: { 'consolidate-batch': (input) => now(input) },
  })
  await memory.give(...before)
  now = mergeAll
  await memory.giveBatch(...batch)
  return memory
}

test('two facts of a batch repeat one vague entry, and neither loses its name to the other', async () => {
  const [dog, rex, tom] = [has('a dog'), has('a dog called Rex'), has('a dog called Tom')]
  const { current, batches } = await memoryAfterMerge([dog], [rex, tom])
  assert.deepEqual(texts(current('topic')), [rex.text, tom.text])
  assert.deepEqual(texts(current('profile')), [rex.text, tom.text])
  assert.deepEqual([batches().at(-1)?.refused, batches().at(-1)?.lost], [1, []])
})

test('the vague fact of an agent never merges two entries of a person', async () => {
  const [rex, tom] = [has('a dog called Rex'), has('a dog called Tom')]
  const by = { speaker: 'Assistant', role: 'agent', persons: ['Maya'] } as const
  const vague = fact({ subject: 'Maya', relation: 'has', object: 'a dog', ...by })
  const { current, batches } = await memoryAfterMerge([rex, tom], [vague])
  assert.deepEqual(texts(current('topic')).toSorted(), [rex.text, tom.text])
  assert.deepEqual(texts(current('profile')), [rex.text, tom.text])
  assert.deepEqual([batches().at(-1)?.refused, batches().at(-1)?.lost], [1, []])
  const named = current('topic').find((entry) => entry.facts.includes(vague.id))
  assert.equal(named?.role, 'human')
})

test('the profile keeps a name that a correction and an earlier fact of the batch state', async () => {
  const walked = correctionFact('add', {
    subject: 'Maya',
    relation: 'walked',
    object: 'a dog called Rex',
    kind: 'event',
  })
  const { current, batches } = await memoryAfterMerge([walked, has('a dog')], [has('a dog called Rex'), has('a dog')])
  assert.deepEqual(texts(current('profile')), [walked.text])
  assert.deepEqual(batches().at(-1)?.lost, [])
})

const lives = (object: string, date: string) =>
  fact({ subject: 'Maya', relation: 'lives in', object, persons: ['Maya'], saidAt: at(date) })
const alfama = 'Lisbon, in the Alfama district'

test('a vaguer fact of the batch joins the richer value of its slot, which keeps its words', async () => {
  const facts = [lives('Lisbon', '2024-01-01'), lives(alfama, '2024-02-01'), lives('Lisbon', '2024-02-01')] as const
  const { current, batches, give } = await memoryAfterMerge([facts[0]], facts.slice(1))
  for (const kind of ['topic', 'profile'] as const) {
    assert.deepEqual(
      current(kind).map((entry) => [entry.text, entry.facts]),
      [[facts[1].text, facts.map(({ id }) => id)]],
    )
  }
  assert.deepEqual([batches().at(-1)?.refused, batches().at(-1)?.lost], [0, []])
  await give(retraction(facts[0].id))
  assert.deepEqual(texts(current('topic')), [facts[1].text])
})

test('a fact whose merge is refused joins the slot, and a later value ends it', async () => {
  const rooms = 'a house by the river with seven rooms, large windows, thick walls, wooden stairs and a'
  const [cellar, loft] = [lives(`${rooms} cellar`, '2024-01-01'), lives(`${rooms} loft`, '2024-02-01')]
  const { current, endOf, give } = consolidatorHarness()
  await give(cellar, loft)
  assert.deepEqual(texts(current('topic')), [loft.text])
  const porto = lives('Porto', '2024-03-01')
  await give(porto)
  assert.deepEqual([texts(current('topic')), texts(current('profile'))], [[porto.text], [porto.text]])
  assert.deepEqual([endOf(loft.text)?.reason, endOf(loft.text)?.validTo], ['superseded', at('2024-03-01')])
})
