/** Damage to a shard, and shards of another log: found, reported, and made again. */
import assert from 'node:assert/strict'
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { lanceStore } from '@loomlog/views/lancedb'
import { ViewReader } from '@loomlog/views/reader'
import { facts } from '@loomlog/views/tables/facts'
import { fact } from '../../packages/views/fixture.ts'

import { key, vectorSpace, workshop } from './workshop.ts'

/** Every file of the only shard, by its path. */
async function filesOf(dir: string): Promise<readonly string[]> {
  const entries = await readdir(join(dir, 'views'), { recursive: true, withFileTypes: true })
  return entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
}

test('a shard that cannot be read is made again, and the message says so', async (t) => {
  for (const [kind, damage] of Object.entries({
    'manifests of garbage': (file: string) => /manifest$/.test(file) && writeFile(file, 'garbage '.repeat(100)),
    'empty data files': (file: string) => /data\/.*lance$/.test(file) && truncate(file, 0),
    'missing data files': (file: string) => /data\/.*lance$/.test(file) && rm(file),
  })) {
    const place = await workshop(t, 'facts')
    await place.append(fact(), fact('other'))
    const first = await place.start()
    const before = await place.dump()
    await first.close()
    for (const file of await filesOf(place.dir)) await damage(file)
    await place.append(fact('later'))
    await place.start()
    const after = await place.dump()
    assert.equal(after.length, before.length + 1, kind)
    assert.match(place.remade.join(), /^the view of facts\/0 is made again: the view at .* can't be read/, kind)
  }
})

test('a shard that is deleted under its quiet writer is made again within seconds', async (t) => {
  const place = await workshop(t, 'facts')
  await place.append(fact())
  await place.start()
  const before = await place.dump()
  await rm(join(place.dir, 'views'), { recursive: true })
  assert.deepEqual(await place.dump(), before)
  assert.match(place.remade.join(), /made again/)
})

test('a view of a log that was restored from an older copy, and grew past it, is made again', async (t) => {
  const place = await workshop(t, 'facts')
  await place.append(fact(), fact('lost'))
  const first = await place.start()
  await place.dump()
  await first.close()
  // Another log under the same name, as long as the first one was and longer.
  await place.log.deleteTopic('facts')
  await place.log.createTopic({ name: 'facts', partitions: 1, retentionMs: null })
  await place.append(fact(), fact('second'), fact('third'))
  await place.start()
  const ids = (await place.dump()).map((line) => JSON.parse(line).id ?? line)
  assert.ok(!JSON.stringify(ids).includes('lost'), JSON.stringify(ids))
  assert.match(place.remade.join(), /is made again: it was made from another log \(facts is/)
})

test('a row whose bytes were changed is refused, and never served', async (t) => {
  const place = await workshop(t, 'facts')
  await place.append(fact())
  await place.start()
  await place.dump()
  await tamper(place.dir)
  await assert.rejects(place.rows(facts), { code: 'view-corrupt', message: /does not match its checksum/ })
})

test('a reader that meets damage has the shard made again by its writer, and then reads it', async (t) => {
  const place = await workshop(t, 'facts')
  await place.append(fact())
  await place.start()
  await place.dump()
  await tamper(place.dir)
  const store = lanceStore(join(place.dir, 'views'))
  const sources = new Map([['facts', 'facts']])
  const views = new ViewReader({ store, vectorSpace, partitions: 1, sources, log: place.log })
  t.after(() => views.close())
  const texts = async () => (await views.byIds(facts, key, ['fact1'])).map(({ text }) => text)
  await assert.rejects(texts(), { code: 'view-corrupt' })
  const [end = 0] = await place.log.endOffsets('facts')
  for (const deadline = Date.now() + 60_000; (await views.watermark('facts', 0)) < end; await sleep(50))
    assert.ok(Date.now() < deadline, `${place.errors}`)
  assert.deepEqual(await texts(), ['Ada sails.'])
})

/** Changes a letter of the only fact in the files of its view. */
async function tamper(dir: string): Promise<void> {
  for (const file of (await filesOf(dir)).filter((name) => /data\/.*lance$/.test(name))) {
    const bytes = await readFile(file)
    const at = bytes.indexOf('Ada sails.')
    if (at >= 0) await writeFile(file, bytes.fill('f', at + 4, at + 5))
  }
}
