import assert from 'node:assert/strict'
import { test } from 'node:test'
import { harness } from '@loomlog/runtime/harness'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { CorrectionApplied, DerivedEvent } from '@loomlog/schemas/events'
import { derivedId, type Json } from '@loomlog/schemas/ids'
import { box, correction, monday, undoOf, withSpacePauses } from './fixture.ts'
import { factExtractor } from './processor.ts'
import type { Input } from './step.ts'

const three = ['Ann lives in Lisbon.', 'Ann works at Acme.', 'Ann has a dog named Rufo.'] as const
const [lisbon, acme, dog] = three
const whole = { kind: 'state', subject: 'Ann', relation: '', object: '', when: null, location: null }

/** One line with three facts, in words that the test may change from box to box. */
function extractor() {
  let words: readonly string[] = three
  const extract = () => ({
    facts: words.map((text) => ({ ...whole, text, persons: [], entities: [], keywords: [], sources: ['1'] })),
  })
  const running = harness(factExtractor, { answers: { 'extract-facts': () => extract() as Json } })
  const texts = new Map<string, string>()
  async function give(...events: readonly SequencedEvent<Input>[]): Promise<readonly DerivedEvent[]> {
    const made = await running.give(...withSpacePauses(...events))
    for (const event of made) {
      if (event.type === 'FactRecorded') texts.set(event.id, event.text)
      if (event.type === 'FactRetracted') texts.delete(event.fact)
    }
    return made
  }
  return { give, say: (texts: readonly string[]) => (words = texts), current: () => [...texts.values()], running }
}

const lisbonBox = () => box(['Ann', 'I live in Lisbon, work at Acme and have a dog named Rufo.', { id: 'u' }])
const target = { text: lisbon, object: 'Lisbon', sources: ['u'], others: [acme, dog] }
const outcomes = (made: readonly DerivedEvent[]) =>
  made.filter((event): event is CorrectionApplied => event.type === 'CorrectionApplied')

test('one of three facts from the same utterance is replaced, and the other two stay', async () => {
  const all = extractor()
  await all.give(lisbonBox())
  const replace = correction(target, {
    action: 'replace',
    text: 'Ann lives in Porto.',
    subject: 'Ann',
    object: 'Porto',
  })
  const [fact, retracted, applied] = await all.give(replace)
  assert.deepEqual(all.current(), [acme, dog, 'Ann lives in Porto.'])
  assert.equal(fact?.id, derivedId('fact-extractor', replace.id, 0))
  assert.ok(
    fact?.type === 'FactRecorded' && retracted?.type === 'FactRetracted' && applied?.type === 'CorrectionApplied',
  )
  assert.deepEqual(fact.correction, {
    id: replace.id,
    action: 'replace',
    by: 'Ann',
    replaced: [retracted.fact],
    ended: [],
  })
  assert.deepEqual([fact.lineage.method, fact.sources, fact.saidAt], ['person', [replace.id], monday])
  assert.deepEqual([applied.outcome, applied.retracted], ['applied', [retracted.fact]])
})

test('with a date the fact stays and is reported as ended, also if its box is sealed after the correction', async () => {
  const from = monday + 86_400_000
  const porto = { action: 'replace', text: 'Ann lives in Porto.', from } as const
  const early = extractor()
  const [recorded] = await early.give(lisbonBox())
  const [fact, applied] = await early.give(correction(target, porto))
  assert.ok(fact?.type === 'FactRecorded' && applied?.type === 'CorrectionApplied')
  assert.deepEqual([fact.saidAt, fact.correction?.replaced, fact.correction?.ended], [from, [], [recorded?.id]])
  assert.deepEqual(
    [applied.outcome, applied.retracted, applied.from, applied.ended],
    ['applied', [], from, [recorded?.id]],
  )
  assert.deepEqual(early.current(), [...three, 'Ann lives in Porto.'])
  const late = extractor()
  await late.give(correction(target, porto))
  const made = await late.give(lisbonBox())
  assert.deepEqual(late.current(), ['Ann lives in Porto.', ...three])
  assert.deepEqual(
    outcomes(made).map(({ outcome, from, ended, withheld }) => [outcome, from, ended, withheld]),
    [['applied', from, [made[0]?.id], 0]],
  )
})

test('a dated correction of a fact that another one withholds is not reported as applied', async () => {
  const all = extractor()
  const dated = correction(target, { action: 'replace', text: 'Ann lives in Porto.', from: monday + 86_400_000 })
  const retracting = { ...correction(target), id: 'retracts' }
  await all.give(dated, retracting)
  const made = outcomes(await all.give(lisbonBox()))
  assert.deepEqual(
    made.map(({ correction, outcome, withheld, ended }) => [correction, outcome, withheld, ended]),
    [['retracts', 'applied', 1, []]],
  )
})

test('a box that is sealed after the correction does not bring the fact back in other words', async () => {
  const all = extractor()
  const missed = await all.give(correction(target, { action: 'replace', text: 'Ann lives in Porto.' }))
  assert.equal(outcomes(missed)[0]?.outcome, 'missed')
  all.say(['Lisbon is where Ann resides.', 'Ann is employed at Acme.', 'Rufo is a dog that Ann has.'])
  const made = await all.give(lisbonBox())
  assert.deepEqual(all.current(), ['Ann lives in Porto.', 'Ann is employed at Acme.', 'Rufo is a dog that Ann has.'])
  assert.deepEqual(
    outcomes(made).map(({ outcome, withheld }) => [outcome, withheld]),
    [['applied', 1]],
  )
})

test('a correction does not concern the same words from another utterance', async () => {
  const all = extractor()
  await all.give(correction(target), box(['Ann', 'Lisbon is home, I work at Acme and Rufo is my dog.', { id: 'v' }]))
  assert.deepEqual(all.current(), three)
})

test('a pin replaces the pinned fact in every wording, and cites its evidence', async () => {
  const all = extractor()
  await all.give(lisbonBox())
  const pin = correction(target, { action: 'pin', text: lisbon, subject: 'Ann', object: 'Lisbon' })
  const [fact] = await all.give(pin)
  assert.deepEqual(all.current(), [acme, dog, lisbon])
  assert.deepEqual(fact?.type === 'FactRecorded' && fact.sources, ['u', pin.id])
})

test('an added fact needs no evidence, and can be corrected like any other', async () => {
  const all = extractor()
  const add = correction(null, { action: 'add', text: 'Ann sails.', subject: 'Ann' })
  assert.equal(outcomes(await all.give(add))[0]?.outcome, 'applied')
  await all.give(correction({ text: 'Ann sails.', sources: [add.id] }))
  assert.deepEqual(all.current(), [])
})

test('an agent’s correction of a person’s fact is reported as unsure, and the fact stays', async () => {
  const all = extractor()
  await all.give(lisbonBox())
  const [agent] = outcomes(await all.give(correction(target, { role: 'agent' })))
  assert.deepEqual([agent?.outcome, agent?.unsure.length], ['unsure', 1])
  all.say(['Ann mended a red boat and its engine.'])
  await all.give(box(['Ann', 'boats', { id: 'w' }]))
  const boat = { text: 'Ann bought a small red boat.', sources: ['w'], others: ['Ann sold a red car.'] }
  const [unsure] = outcomes(await all.give(correction(boat)))
  assert.deepEqual([unsure?.outcome, unsure?.unsure.length], ['unsure', 1])
  assert.deepEqual(all.current(), [...three, 'Ann mended a red boat and its engine.'])
})

test('an undo retracts all facts of an utterance, now and later, except a person’s corrections', async () => {
  const all = extractor()
  await all.give(lisbonBox(), correction(target, { action: 'pin', text: lisbon, subject: 'Ann' }))
  const made = await all.give(undoOf(['u']))
  assert.deepEqual(all.current(), [lisbon])
  assert.deepEqual([made.length, outcomes(made)[0]?.retracted.length], [3, 2])
  await all.give(lisbonBox())
  assert.deepEqual(all.current(), [lisbon])
})

test('an undo for another derivation changes nothing', async () => {
  const all = extractor()
  await all.give(lisbonBox())
  assert.deepEqual(await all.give(undoOf(['u'], 'other')), [])
  assert.deepEqual(all.current(), three)
  await all.give(undoOf(['u'], 'test'))
  assert.deepEqual(all.current(), [])
})

test('an ungrounded fact from undone or corrected evidence is not recorded as withheld', async () => {
  const all = extractor()
  all.say(['Zoe lives in Lisbon.'])
  const withheld = async (id: string) =>
    (await all.give(box(['Ann', 'I live there.', { id }]))).filter(({ type }) => type === 'FactWithheld').length
  assert.equal(await withheld('free'), 1)
  await all.give(undoOf(['undone']), correction({ text: 'Zoe lives in Lisbon.', sources: ['corrected'] }))
  assert.deepEqual([await withheld('undone'), await withheld('corrected')], [0, 0])
})

test('an undone utterance is no context for later boxes', async () => {
  const all = extractor()
  await all.give(lisbonBox(), undoOf(['u']), box(['Ben', 'Nice.']))
  const asked = all.running.asked.at(-1)?.input as { days: { before: Json }[] } | undefined
  assert.deepEqual(asked?.days[0]?.before, [])
})
