import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { EvidenceRetracted } from '@loomlog/schemas/events'
import {
  at,
  consolidatorHarness,
  correctionFact,
  fact,
  placedBy,
  retraction,
  shownEntries,
  windowEnd,
} from '../fixture.ts'

type Library = ReturnType<typeof consolidatorHarness>
type Fact = ReturnType<typeof fact>
const texts = ({ current }: Library, kind: 'topic' | 'profile' = 'topic') => current(kind).map((entry) => entry.text)

const lives = (object: string, date: string, role: 'human' | 'agent' = 'human') =>
  fact({ subject: 'Maya', relation: 'lives in', object, saidAt: at(date), role, keywords: [object] })

/** No current entry, title or summary shows the word. */
function assertGone(word: string, all: Library) {
  const described = new Map(all.described().map((event) => [event.document, event]))
  for (const kind of ['topic', 'profile'] as const) {
    for (const entry of all.current(kind)) {
      assert.doesNotMatch(entry.text, new RegExp(word))
      const retitled = described.get(entry.document)?.retitled.includes(entry.id)
      assert.ok(retitled || !entry.title.includes(word), `${entry.text} stands under ${entry.title}`)
    }
  }
  for (const { title, summary } of described.values()) assert.doesNotMatch(`${title} ${summary}`, new RegExp(word))
}

test('a retracted fact leaves its topic document, its profile and their descriptions', async () => {
  const all = consolidatorHarness()
  const lisbon = lives('Lisbon', '2024-01-01')
  await all.give(lisbon, fact({ subject: 'Maya', relation: 'plays', object: 'the violin', keywords: ['violin'] }))
  const [retired] = await all.give(retraction(lisbon.id))
  assert.ok(retired?.type === 'EntryRetired' && retired.reason === 'retracted' && retired.validTo === at('2024-01-01'))
  assertGone('Lisbon', all)
  assert.deepEqual(texts(all), ['Maya plays the violin.'])
})

test('a waiting fact that is retracted never becomes an entry', async () => {
  const all = consolidatorHarness()
  const lisbon = lives('Lisbon', '2024-01-01')
  await all.giveBatch(lisbon, retraction(lisbon.id), lives('Porto', '2024-02-01'))
  assert.deepEqual(texts(all), ['Maya lives in Porto.'])
  assert.ok(all.written().every(({ text }) => !text.includes('Lisbon')))
})

test('a correction takes effect at once, and drops the waiting fact that it replaces', async () => {
  const all = consolidatorHarness()
  const lisbon = lives('Lisbon', '2024-01-01')
  const porto = { subject: 'Maya', relation: 'lives in', object: 'Porto', saidAt: at('2024-01-01') }
  await all.deliver(lisbon, correctionFact('replace', porto, lisbon.id))
  assert.deepEqual(texts(all), ['Maya lives in Porto.'])
  await all.deliver(windowEnd())
  assert.deepEqual(texts(all), ['Maya lives in Porto.'])
})

test('rules replace the description of a document that showed a retracted fact', async () => {
  const holds = 'homes, also Lisbon'
  const all = consolidatorHarness({
    answers: { 'consolidate-batch': placedBy(() => ({ d: `n1 Maya | ${holds}` })) },
  })
  const lisbon = lives('Lisbon', '2024-01-01')
  await all.give(lisbon)
  assert.ok(all.described().some(({ summary }) => summary === holds))
  await all.give(retraction(lisbon.id))
  assert.doesNotMatch(all.described().findLast(({ kind }) => kind === 'topic')?.summary ?? '', /Lisbon/)
})

test('the title of another document that quotes a retracted fact is replaced, and one with an entry about it stays', async () => {
  const titles = ['Homes | places', 'Ben’s cat, and Maya in Lisbon | pets', 'Trips to Lisbon | trips']
  let next = 0
  const plan = placedBy(() => ({ d: `n1 ${titles[next++]}` }))
  const all = consolidatorHarness({ answers: { 'consolidate-batch': plan } })
  const lisbon = lives('Lisbon', '2024-01-01')
  await all.give(
    lisbon,
    fact({ subject: 'Ben', relation: 'has', object: 'a cat' }),
    fact({ subject: 'Eve', relation: 'flew to', object: 'Lisbon', kind: 'event' }),
  )
  const titlesNow = () => new Map(all.described().map(({ document, title }) => [document, title]))
  assert.ok([...titlesNow().values()].includes('Ben’s cat, and Maya in Lisbon'))
  await all.give(retraction(lisbon.id))
  assert.deepEqual(
    [...titlesNow().values()].filter((title) => title.includes('Lisbon')),
    ['Trips to Lisbon'],
  )
})

test('a replacement gets the document and heading of the fact, and nothing shows the old value', async () => {
  const all = consolidatorHarness()
  const lisbon = lives('Lisbon', '2024-01-01')
  await all.give(fact({ subject: 'Maya', relation: 'lives with', object: 'Ben' }), lisbon)
  const before = all.current('topic').find((entry) => entry.text.includes('Lisbon'))
  const porto = { subject: 'Maya', relation: 'lives in', object: 'Porto', saidAt: at('2024-01-01') }
  await all.give(correctionFact('replace', porto, lisbon.id), retraction(lisbon.id))
  const after = all.current('topic').find((entry) => entry.text.includes('Porto'))
  assert.deepEqual([after?.document, after?.heading], [before?.document, before?.heading])
  assert.ok(texts(all, 'profile').includes('Maya lives in Porto.'))
  assertGone('Lisbon', all)
})

test('a fact that comes again after a retraction, and is retracted again, leaves the profile too', async () => {
  const all = consolidatorHarness()
  const dates = ['2024-01-01', '2024-02-01', '2024-03-01']
  const [first, second, again] = dates.map((date) => lives('Lisbon', date)) as [Fact, Fact, Fact]
  await all.give(first, second, retraction(second.id), again, retraction(first.id))
  const stated = (kind: 'topic' | 'profile') => all.current(kind).map((entry) => entry.facts)
  assert.deepEqual([stated('topic'), stated('profile')], [[[again.id]], [[again.id]]])
})

test('an entry with other facts is written again without the retracted one, with their fields', async () => {
  const all = consolidatorHarness()
  const first = lives('Lisbon', '2024-01-01')
  const second = lives('Lisbon', '2024-02-01')
  await all.give(first, second, retraction(first.id))
  const [entry, ...more] = all.current('topic')
  assert.deepEqual([entry?.facts, entry?.sources, more.length], [[second.id], second.sources, 0])
  assert.equal(entry?.validFrom, at('2024-02-01'))
  assert.deepEqual(texts(all, 'profile'), ['Maya lives in Lisbon.'])
  await all.give(retraction(second.id))
  assert.deepEqual([texts(all), texts(all, 'profile')], [[], []])
})

test('a retracted fact is not placed when it comes again, even if the retraction came first', async () => {
  const all = consolidatorHarness()
  const [lisbon, porto] = [lives('Lisbon', '2024-01-01'), lives('Porto', '2024-02-01')]
  await all.give(lisbon, retraction(lisbon.id), retraction(porto.id), lisbon, porto)
  assert.deepEqual(texts(all), [])
})

test('a person’s later statement ends a correction, and an agent’s does not', async () => {
  const all = consolidatorHarness()
  const porto = { subject: 'Maya', relation: 'lives in', object: 'Porto', saidAt: at('2024-01-01') }
  await all.give(correctionFact('replace', porto), lives('Rome', '2024-02-01', 'agent'))
  assert.ok(texts(all).includes('Maya lives in Porto.'))
  await all.give(lives('Faro', '2024-03-01'))
  assert.ok(!texts(all).includes('Maya lives in Porto.') && texts(all).includes('Maya lives in Faro.'))
})

test('a pinned value outlasts later and earlier values until the pin is retracted', async () => {
  const all = consolidatorHarness()
  const pin = correctionFact('pin', {
    subject: 'Maya',
    relation: 'lives in',
    object: 'Porto',
    saidAt: at('2024-02-01'),
  })
  await all.give(lives('Lisbon', '2024-01-01'), pin, lives('Faro', '2024-03-01'), lives('Braga', '2023-12-01'))
  assert.deepEqual(texts(all), ['Maya lives in Porto.'])
  await all.give(retraction(pin.id), lives('Rome', '2024-04-01'))
  assert.deepEqual(texts(all), ['Maya lives in Rome.'])
})

test('a repetition of a correction keeps the correction’s words', async () => {
  const all = consolidatorHarness({
    answers: {
      'consolidate-batch': placedBy((_, input) => ({ same: shownEntries(input).map(({ label }) => label) })),
    },
  })
  const corrects = { subject: 'Maya', relation: 'lives in', object: 'Porto, in the old town', saidAt: at('2024-01-01') }
  await all.give(correctionFact('replace', corrects), lives('Porto', '2024-02-01'))
  assert.deepEqual(texts(all), ['Maya lives in Porto, in the old town.'])
})

function undo({ sources }: Fact, derivation = 'test'): SequencedEvent<EvidenceRetracted> {
  return {
    type: 'EvidenceRetracted',
    id: `undo ${derivation}`,
    tenant: 'acme',
    space: 'home',
    conversation: 'c1',
    seq: 9,
    keyId: null,
    principal: null,
    utterances: sources,
    derivation,
    by: 'Maya',
    role: 'human',
    reason: null,
    at: 0,
    appendedAt: 0,
  }
}

test('an undo for this derivation removes an utterance’s entries, and an undo for another leaves them', async () => {
  const all = consolidatorHarness()
  const lisbon = lives('Lisbon', '2024-01-01')
  await all.give(lisbon, lives('Porto', '2024-02-01'))
  assert.deepEqual(await all.give(undo(lisbon, 'other')), [])
  await all.give(undo(lisbon))
  assert.deepEqual(texts(all), ['Maya lives in Porto.'])
})

test('a fact of an undone utterance that comes later enters no document, and a person’s correction does', async () => {
  const all = consolidatorHarness()
  const lisbon = lives('Lisbon', '2024-01-01')
  const again = { subject: 'Maya', relation: 'moved to', object: 'Lisbon', sources: lisbon.sources }
  await all.give(lisbon, undo(lisbon), fact(again))
  assert.deepEqual(texts(all), [])
  const pin = correctionFact('pin', again)
  await all.give(pin, undo(lisbon), fact(again))
  assert.deepEqual(texts(all), [pin.text])
})

test('a pin outlasts an undo of the utterances that it rests on', async () => {
  const all = consolidatorHarness()
  const lisbon = lives('Lisbon', '2024-01-01')
  const pin = correctionFact('pin', { ...lisbon, id: 'pin', sources: [...lisbon.sources, 'correction'] }, lisbon.id)
  await all.give(lisbon, pin, undo(lisbon))
  assert.deepEqual([texts(all), texts(all, 'profile')], [[pin.text], [pin.text]])
})
