import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { type Throttle, unthrottled } from '@loomlog/runtime/throttle'
import { documents } from '@loomlog/views/tables/documents'
import { entries } from '@loomlog/views/tables/entries'
import { links } from '@loomlog/views/tables/links'
import { described, entry, fact, link, retired, utterance } from '../../packages/views/fixture.ts'

import { key, unanswered, workshop } from './workshop.ts'

test('records that come again change nothing, and all tables of a view come to the end of the log', async (t) => {
  const place = await workshop(t, 'event-links')
  await place.append(link, { ...link, id: 'link2' }, link)
  await place.start()
  assert.equal((await place.dump()).length, 2)
  assert.equal((await place.rows(links)).length, 2)
})

test('a poll that finds nothing stays outside the throttle, where it would hold up background derivations', async (t) => {
  const place = await workshop(t, 'facts')
  let pieces = 0
  const run: Throttle['run'] = (work) => {
    pieces += 1
    return work()
  }
  await place.append(fact())
  await place.start('views', place.log, { ...unthrottled, run })
  await place.dump()
  const worked = pieces
  await sleep(1_000)
  assert.deepEqual([worked, pieces], [2, 2], 'its tables were made, and then a record came')
})

test('an entry that is retired ends in time and in knowledge, in the same batch or in a later one', async (t) => {
  const place = await workshop(t, 'consolidations')
  await place.append(entry('entry1'), retired('entry1'), entry('entry2'), described('One.'), described('Two.'))
  await place.start()
  await place.dump()
  await place.append(retired('entry2'))
  await place.dump()
  const found = await place.rows(entries)
  assert.deepEqual(
    found.map(({ id, validTo, knownTo }) => [id, validTo, knownTo]),
    [
      ['entry1', 150, 950],
      ['entry2', 150, 950],
    ],
  )
  const [document, ...more] = await place.rows(documents)
  assert.deepEqual([document?.text, more], ['Boats\nTwo.', []])
})

test('the first utterance of an id stays, and what stands under a foreign key or cannot be read is no row', async (t) => {
  const place = await workshop(t, 'utterances')
  await place.append(utterance('u1', 'first'), utterance('u1', 'second'), { ...utterance('u2'), space: 'lair' })
  await place.log.append('utterances', [{ key, value: Buffer.from('garbage'), timestamp: 0 }])
  await place.append(utterance('u3', 'last'))
  await place.start()
  const lines = await place.dump()
  assert.deepEqual(
    lines.map((line) => [JSON.parse(line).space, JSON.parse(line).text.split(' [')[0]]),
    [
      [key, 'Ada: first'],
      [key, 'Ada: last'],
    ],
  )
})

test('after a restart it resumes at its watermark, and embeds nothing again', async (t) => {
  const place = await workshop(t, 'facts')
  await place.append(fact('f1', { text: 'one' }), fact('f2', { text: 'two' }))
  const first = await place.start()
  await place.dump()
  await first.close()
  await place.append(fact('f3', { text: 'three' }))
  await place.start()
  assert.equal((await place.dump()).length, 3)
  assert.deepEqual(place.embedded.toSorted(), ['one', 'three', 'two'])
})

test('an embedder that does not answer holds up no stopping', async (t) => {
  const place = await workshop(t, 'facts')
  await place.append(fact('f1', { text: unanswered }))
  const member = await place.start()
  while (place.embedded.length === 0) await sleep(10)
  const late = AbortSignal.timeout(60_000)
  await Promise.race([member.close(), new Promise((_, reject) => late.addEventListener('abort', reject))])
  assert.deepEqual(place.errors, [])
})

test('a view that was deleted is made again from the start of the log, and is the same (P6)', async (t) => {
  const place = await workshop(t, 'consolidations')
  const first = await place.start()
  // In small steps, so that the batches of the two differ.
  for (let n = 0; n < 6; n++) {
    await place.append(entry(`e${n}`), described(`${n}`), ...(n > 1 ? [retired(`e${n - 2}`)] : []))
    await sleep(n % 2 === 0 ? 0 : 150)
  }
  const before = await place.dump()
  await first.close()
  await rm(join(place.dir, 'views'), { recursive: true })
  const second = await place.start()
  assert.deepEqual(await place.dump(), before)
  await second.close()
  await place.start('beside')
  assert.deepEqual(await place.dump('beside'), before)
})

test('a view that is made again embeds nothing that was embedded for it before', async (t) => {
  const place = await workshop(t, 'facts')
  await place.append(fact('f1', { text: 'one' }), fact('f2', { text: 'two' }))
  const first = await place.start()
  await place.dump()
  await first.close()
  await place.start('beside')
  await place.dump('beside')
  assert.deepEqual(place.embedded.toSorted(), ['one', 'two'])
})

test('two owners at once, as after a lost lease, leave every row once', async (t) => {
  const place = await workshop(t, 'facts')
  await place.start()
  const other = openSqliteLog({ dir: place.dir })
  t.after(() => other.close())
  const rival = await place.start('views', other)
  for (let n = 0; n < 40; n++) {
    await place.append(fact(`f${n}`, { text: `number ${n}` }))
    if (n === 20) void rival.close()
    await sleep(10)
  }
  assert.equal((await place.dump()).length, 40)
})
