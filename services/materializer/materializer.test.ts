import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { type Throttle, unthrottled } from '@loomlog/runtime/throttle'
import type { SubjectForgotten } from '@loomlog/schemas/events'
import { documents } from '@loomlog/views/tables/documents'
import { entries } from '@loomlog/views/tables/entries'
import { links } from '@loomlog/views/tables/links'
import { documentDescribed, entry, entryRetired, fact, link, utterance } from '../../packages/views/fixture.ts'

import { until, withinSeconds } from '../../test/within-seconds.ts'
import { key, materializerFixture, unanswered } from './fixture.ts'

test('duplicate records change nothing, and all tables of a view reach the end of the log', async (t) => {
  const fixture = await materializerFixture(t, 'event-links')
  await fixture.append(link, { ...link, id: 'link2' }, link)
  await fixture.start()
  assert.equal((await fixture.dump()).length, 2)
  assert.equal((await fixture.rows(links)).length, 2)
})

test('an empty poll does not count as live work, which would hold up background derivations', async (t) => {
  const fixture = await materializerFixture(t, 'facts')
  let pieces = 0
  const run: Throttle['run'] = (work) => {
    pieces += 1
    return work()
  }
  await fixture.append(fact())
  await fixture.start('views', fixture.log, { ...unthrottled, run })
  await fixture.dump()
  const worked = pieces
  await sleep(1_000)
  assert.deepEqual([worked, pieces], [2, 2], 'one piece of work makes the tables, one applies the record')
})

test('new utterances that come one by one share merges', async (t) => {
  const fixture = await materializerFixture(t, 'utterances')
  let pieces = 0
  const run: Throttle['run'] = (work) => {
    pieces += 1
    return work()
  }
  await fixture.start('views', fixture.log, { ...unthrottled, run })
  const records = 12
  for (let n = 0; n < records; n += 1) {
    const value = fixture.codec.encode(utterance(`u${n}`, `text ${n}`))
    await fixture.log.append('utterances', [{ key, value, timestamp: Date.now() }])
    await sleep(250)
  }
  assert.equal((await fixture.dump()).length, records)
  assert.ok(pieces <= 1 + records / 2, `one piece of work makes the tables, ${pieces - 1} apply ${records} records`)
})

test('a retired entry ends in event time and in log time, in the same batch or in a later one', async (t) => {
  const fixture = await materializerFixture(t, 'consolidations')
  await fixture.append(
    entry('entry1'),
    entryRetired('entry1'),
    entry('entry2'),
    documentDescribed('One.'),
    documentDescribed('Two.'),
  )
  await fixture.start()
  await fixture.dump()
  await fixture.append(entryRetired('entry2'))
  await fixture.dump()
  const found = await fixture.rows(entries)
  assert.deepEqual(
    found.map(({ id, validTo, knownTo }) => [id, validTo, knownTo]),
    [
      ['entry1', 150, 950],
      ['entry2', 150, 950],
    ],
  )
  const [document, ...more] = await fixture.rows(documents)
  assert.deepEqual([document?.text, more], ['Boats\nTwo.', []])
})

test('the first utterance of an id stays, and a record under a foreign key or an undecodable one makes no row', async (t) => {
  const fixture = await materializerFixture(t, 'utterances')
  await fixture.append(utterance('u1', 'first'), utterance('u1', 'second'), { ...utterance('u2'), space: 'lair' })
  await fixture.log.append('utterances', [{ key, value: Buffer.from('garbage'), timestamp: 0 }])
  await fixture.append(utterance('u3', 'last'))
  await fixture.start()
  const lines = await fixture.dump()
  assert.deepEqual(
    lines.map((line) => [JSON.parse(line).space, JSON.parse(line).text.split(' [')[0]]),
    [
      [key, 'Ada: first'],
      [key, 'Ada: last'],
    ],
  )
})

test('after a restart a view resumes at its watermark, and embeds nothing again', async (t) => {
  const fixture = await materializerFixture(t, 'facts')
  await fixture.append(fact('f1', { text: 'one' }), fact('f2', { text: 'two' }))
  const first = await fixture.start()
  await fixture.dump()
  await first.close()
  await fixture.append(fact('f3', { text: 'three' }))
  await fixture.start()
  assert.equal((await fixture.dump()).length, 3)
  assert.deepEqual(fixture.embedded.toSorted(), ['one', 'three', 'two'])
})

test('an embedder that does not answer does not delay the stop', async (t) => {
  const fixture = await materializerFixture(t, 'facts')
  await fixture.append(fact('f1', { text: unanswered }))
  const member = await fixture.start()
  await until(() => fixture.embedded.length > 0, 'the fact is embedded')
  await withinSeconds(member.close(), 'the materializer stops while its embedder does not answer')
  assert.deepEqual(fixture.errors, [])
})

test('a deleted view is rebuilt from the start of the log, and is the same (P6)', async (t) => {
  const fixture = await materializerFixture(t, 'consolidations')
  const first = await fixture.start()
  // In small steps, so that the batches of the two differ.
  for (let n = 0; n < 6; n++) {
    await fixture.append(entry(`e${n}`), documentDescribed(`${n}`), ...(n > 1 ? [entryRetired(`e${n - 2}`)] : []))
    await sleep(n % 2 === 0 ? 0 : 150)
  }
  const before = await fixture.dump()
  await first.close()
  await rm(join(fixture.dir, 'views'), { recursive: true })
  const second = await fixture.start()
  assert.deepEqual(await fixture.dump(), before)
  await second.close()
  await fixture.start('beside')
  assert.deepEqual(await fixture.dump('beside'), before)
})

test('a rebuilt view embeds no text that was embedded for it before', async (t) => {
  const fixture = await materializerFixture(t, 'facts')
  await fixture.append(fact('f1', { text: 'one' }), fact('f2', { text: 'two' }))
  const first = await fixture.start()
  await fixture.dump()
  await first.close()
  await fixture.start('beside')
  await fixture.dump('beside')
  assert.deepEqual(fixture.embedded.toSorted(), ['one', 'two'])
})

test('two owners at once, as after a lost lease, leave every row once', async (t) => {
  const fixture = await materializerFixture(t, 'facts')
  await fixture.start()
  const other = openSqliteLog({ dir: fixture.dir })
  t.after(() => other.close())
  const rival = await fixture.start('views', other)
  for (let n = 0; n < 40; n++) {
    await fixture.append(fact(`f${n}`, { text: `number ${n}` }))
    if (n === 20) void rival.close()
    await sleep(10)
  }
  assert.equal((await fixture.dump()).length, 40)
})

test('a forgetting empties the cache of vectors of its space, and of no other one', async (t) => {
  const fixture = await materializerFixture(t, 'facts')
  const other = { ...fact('elsewhere', { text: 'Bob rows.' }), space: 'work' }
  await fixture.append(fact('before', { text: 'Ann sails.' }))
  const value = fixture.codec.encode(other)
  await fixture.log.append('facts', [{ key: 'acme/work', value, timestamp: 0 }])
  await fixture.start()
  await fixture.dump()
  await fixture.append(subjectForgotten)
  await fixture.dump()
  await fixture.append(fact('after', { text: 'Ann sails.' }))
  const again = fixture.codec.encode({ ...other, id: 'again' })
  await fixture.log.append('facts', [{ key: 'acme/work', value: again, timestamp: 0 }])
  await fixture.dump()
  assert.deepEqual(fixture.embedded.toSorted(), ['Ann sails.', 'Ann sails.', 'Bob rows.'])
})

const subjectForgotten: SubjectForgotten = {
  type: 'SubjectForgotten',
  id: 'forgotten1',
  tenant: 'acme',
  space: 'home',
  seq: 0,
  subject: '',
  forgetting: 'f1',
  kept: 0,
  by: 'Ann',
  at: 1_700_000_000_000,
  appendedAt: 1_700_000_000_000,
  principal: null,
  keyId: null,
}
