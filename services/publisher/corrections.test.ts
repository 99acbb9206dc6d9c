/** Corrections in the feed: with the action and the author of their source event. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CorrectionApplied, MemoryCorrected } from '@loomlog/schemas/events'
import { publisherFixture, topicOf } from './fixture.ts'

const place = { tenant: 'acme', space: 'home', conversation: 'c' } as const
const words = { text: 'Maya has a boat.', kind: 'state', subject: 'Maya', relation: 'has', object: 'a boat' } as const
const added: MemoryCorrected = {
  type: 'MemoryCorrected',
  id: 'x',
  ...place,
  seq: 0,
  action: 'add',
  target: null,
  ...words,
  when: null,
  persons: [],
  keywords: [],
  from: null,
  by: 'Ines',
  role: 'human',
  reason: null,
  keyId: null,
  principal: null,
  at: 1,
  appendedAt: 1,
}
const lineage = { derivation: 'f1', method: 'rules', causes: ['x'], completions: [] }
const applied = (id: string, correction: string): CorrectionApplied => ({
  type: 'CorrectionApplied',
  id,
  ...place,
  seq: 0,
  ordinal: 0,
  knownAt: 1,
  lineage,
  correction,
  outcome: 'applied',
  retracted: [],
  from: null,
  ended: [],
  withheld: 0,
  unsure: [],
})

test('a correction is published with its action and author, also after a restart', async (t) => {
  const fixture = await publisherFixture(t)
  fixture.promote('a')
  const member = await fixture.start()
  await fixture.append('utterances', [{ ...added, seq: null }])
  await fixture.append(topicOf('t1'), [added])
  await fixture.append(topicOf('f1'), [applied('one', 'x')])
  await fixture.advance()
  await fixture.untilPublished()
  await member.close()
  await fixture.start()
  await fixture.append(topicOf('f1'), [applied('two', 'x'), applied('three', 'older')])
  await fixture.append('utterances', [{ ...added, id: 'y', seq: null }])
  await fixture.advance()
  await fixture.untilPublished()
  const published = (await fixture.feed()).flatMap((event) =>
    event.type === 'CorrectionPublished' ? [[event.correction, event.action, event.by]] : [],
  )
  assert.deepEqual(published, [
    ['x', 'add', 'Ines'],
    ['x', 'add', 'Ines'],
    ['older', null, null],
  ])
  assert.deepEqual(fixture.errors, [])
})
