import assert from 'node:assert/strict'
import { test } from 'node:test'
import { correctionFactId } from '@loomlog/corrections/fact-id'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { CorrectionApplied } from '@loomlog/schemas/events'
import { at, consolidatorHarness, correctionFact, fact, retraction, windowEnd } from '../fixture.ts'

const from = at('2024-03-01')
const home = (object: string, date: string) =>
  fact({ subject: 'Maya', relation: 'lives in', object, saidAt: at(date), keywords: [object] })
const boat = (date: string) =>
  fact({ subject: 'Maya', relation: 'has', object: 'a blue boat', saidAt: at(date), keywords: ['boat'] })

function dated(fields: { relation: string; object: string }, ...ended: readonly string[]) {
  const made = correctionFact('replace', { subject: 'Maya', saidAt: from, ...fields })
  const id = correctionFactId('c')
  return { ...made, id, correction: { id: 'c', action: 'replace', by: 'Maya', replaced: [], ended } }
}

/** The report that a fact was recorded after the correction. */
function applied(...ended: readonly string[]): SequencedEvent<CorrectionApplied> {
  const { type: _, fact: __, cause: ___, ...place } = retraction('')
  const report = { outcome: 'applied', retracted: [], withheld: 0, unsure: [] } as const
  return { ...place, type: 'CorrectionApplied', correction: 'c', from, ended, ...report }
}

const porto = { relation: 'lives in', object: 'Porto' }
const green = { relation: 'owns', object: 'a green dinghy' }
const texts = ({ current }: ReturnType<typeof consolidatorHarness>) => current('topic').map(({ text }) => text)

for (const [old, better, words] of [
  [home('Lisbon', '2024-01-01'), porto, 'Maya lives in Porto.'],
  [boat('2024-01-01'), green, 'Maya owns a green dinghy.'],
] as const) {
  test(`"${old.text}" holds until "${words}" begins, placed, waiting or recorded later`, async () => {
    const placed = consolidatorHarness()
    await placed.give(old, dated(better, old.id))
    const waiting = consolidatorHarness()
    await waiting.deliver(old, dated(better, old.id), windowEnd())
    const late = consolidatorHarness()
    await late.deliver(dated(better), old, applied(old.id), windowEnd())
    for (const all of [placed, waiting, late]) {
      assert.deepEqual(texts(all), [words])
      for (const kind of ['topic', 'profile'] as const) {
        const end = all.endOf(old.text, kind)
        assert.deepEqual([end?.reason, end?.validTo], ['superseded', from])
        assert.equal(end?.by, all.current(kind)[0]?.id)
      }
    }
  })
}

test('a pinned statement ends, and so does one that is repeated after the date', async () => {
  const all = consolidatorHarness()
  const pin = correctionFact('pin', {
    subject: 'Maya',
    relation: 'lives in',
    object: 'Lisbon',
    saidAt: at('2024-01-01'),
  })
  await all.give(pin, dated(porto, pin.id))
  assert.deepEqual([texts(all), all.endOf(pin.text)?.validTo], [['Maya lives in Porto.'], from])
  const again = consolidatorHarness()
  const [first, second] = [home('Lisbon', '2024-01-01'), home('Lisbon', '2024-04-01')]
  await again.give(first, second, dated(porto, first.id), retraction(second.id))
  assert.deepEqual([texts(again), again.endOf(first.text)?.validTo], [['Maya lives in Porto.'], from])
})

test('the end stays when the correction is retracted, before and after the fact is recorded', async () => {
  const lisbon = home('Lisbon', '2024-01-01')
  const correction = dated(porto, lisbon.id)
  const early = consolidatorHarness()
  await early.give(lisbon, correction, retraction(correction.id))
  const late = consolidatorHarness()
  await late.deliver({ ...correction, correction: { ...correction.correction, ended: [] } }, retraction(correction.id))
  await late.deliver(lisbon, applied(lisbon.id), windowEnd())
  for (const all of [early, late]) assert.deepEqual([texts(all), all.endOf(lisbon.text)?.validTo], [[], from])
})
