/** Damaged shards and shards of another log are detected, reported and rebuilt. */
import assert from 'node:assert/strict'
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { lanceStore } from '@loomlog/views/lancedb'
import { ViewReader } from '@loomlog/views/reader'
import { facts } from '@loomlog/views/tables/facts'
import { fact } from '../../packages/views/fixture.ts'

import { key, materializerFixture, vectorSpace } from './fixture.ts'

/** Every file of the only shard, by its path. */
async function filesOf(dir: string): Promise<readonly string[]> {
  const entries = await readdir(join(dir, 'views'), { recursive: true, withFileTypes: true })
  return entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
}

test('an unreadable shard is rebuilt, with a message', async (t) => {
  for (const [kind, damage] of Object.entries({
    'manifests of garbage': (file: string) => /manifest$/.test(file) && writeFile(file, 'garbage '.repeat(100)),
    'empty data files': (file: string) => /data\/.*lance$/.test(file) && truncate(file, 0),
    'missing data files': (file: string) => /data\/.*lance$/.test(file) && rm(file),
  })) {
    const fixture = await materializerFixture(t, 'facts')
    await fixture.append(fact(), fact('other'))
    const first = await fixture.start()
    const before = await fixture.dump()
    await first.close()
    for (const file of await filesOf(fixture.dir)) await damage(file)
    await fixture.append(fact('later'))
    await fixture.start()
    const after = await fixture.dump()
    assert.equal(after.length, before.length + 1, kind)
    assert.match(fixture.remade.join(), /^the view of facts\/0 is rebuilt: the view at .* can't be read/, kind)
  }
})

test('a shard that is deleted under its idle writer is rebuilt within seconds', async (t) => {
  const fixture = await materializerFixture(t, 'facts')
  await fixture.append(fact())
  await fixture.start()
  const before = await fixture.dump()
  await rm(join(fixture.dir, 'views'), { recursive: true })
  assert.deepEqual(await fixture.dump(), before)
  assert.match(fixture.remade.join(), /rebuilt/)
})

test('a view of a log that was restored from an older copy, and grew past it, is rebuilt', async (t) => {
  const fixture = await materializerFixture(t, 'facts')
  await fixture.append(fact(), fact('lost'))
  const first = await fixture.start()
  await fixture.dump()
  await first.close()
  // Another log under the same name, as long as the first one was and longer.
  await fixture.log.deleteTopic('facts')
  await fixture.log.createTopic({ name: 'facts', partitions: 1, retentionMs: null })
  await fixture.append(fact(), fact('second'), fact('third'))
  await fixture.start()
  const ids = (await fixture.dump()).map((line) => JSON.parse(line).id ?? line)
  assert.ok(!JSON.stringify(ids).includes('lost'), JSON.stringify(ids))
  assert.match(fixture.remade.join(), /is rebuilt: it was made from another log \(facts is/)
})

test('a row whose bytes were changed is refused, and never served', async (t) => {
  const fixture = await materializerFixture(t, 'facts')
  await fixture.append(fact())
  await fixture.start()
  await fixture.dump()
  await tamper(fixture.dir)
  await assert.rejects(fixture.rows(facts), { code: 'view-corrupt', message: /does not match its checksum/ })
})

test('a reader that finds damage makes the writer rebuild the shard, and then reads it', async (t) => {
  const fixture = await materializerFixture(t, 'facts')
  await fixture.append(fact())
  await fixture.start()
  await fixture.dump()
  await tamper(fixture.dir)
  const store = lanceStore(join(fixture.dir, 'views'))
  const sources = new Map([['facts', 'facts']])
  const views = new ViewReader({ store, vectorSpace, partitions: 1, sources, log: fixture.log })
  t.after(() => views.close())
  const texts = async () => (await views.byIds(facts, key, ['fact1'])).map(({ text }) => text)
  await assert.rejects(texts(), { code: 'view-corrupt' })
  const [end = 0] = await fixture.log.endOffsets('facts')
  for (const deadline = Date.now() + 60_000; (await views.watermark('facts', 0)) < end; await sleep(50))
    assert.ok(Date.now() < deadline, `${fixture.errors}`)
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
