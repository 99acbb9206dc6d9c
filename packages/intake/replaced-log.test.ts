/** The index of known ids is never used for another log than its own. */
import assert from 'node:assert/strict'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { openDisposableFile } from '@loomlog/log/disposable-file'
import { partitionOf } from '@loomlog/log/partition'
import type { Log } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import { Intake, recordOf } from './append.ts'
import { ContentFile, contentFileName } from './content-file.ts'
import { toKeyedEvent } from './duplicates.ts'
import { loggedTexts, openIntakeLog, utterance } from './fixture.ts'

test('an index of another log, or a damaged one, is rebuilt from the log', async (t) => {
  const place = await openIntakeLog(t)
  const other = await openIntakeLog(t)
  const elsewhere = new Intake({ ...other, dir: place.dir })
  await elsewhere.append([utterance('1', 'theirs'), utterance('2', 'theirs')])
  await elsewhere.close()
  const notices: string[] = []
  const notify = (text: string) => void notices.push(text)
  const intake = new Intake({ ...place, notify })
  assert.deepEqual(await intake.append([utterance('1', 'ours')]), { appended: 1, known: 0 })
  assert.match(notices.splice(0).join(), /^utterances-index.db was made from another log/)
  await intake.close()
  await writeFile(join(place.dir, 'utterances-index.db'), 'garbage '.repeat(1_000))
  const again = new Intake({ ...place, notify })
  assert.deepEqual(await again.append([utterance('1', 'ours')]), { appended: 0, known: 1 })
  assert.match(notices.join(), /utterances-index.db is damaged .* rebuilt/)
  await again.close()
})

test('after a log is restored from an older copy and grows past it, ids that the copy lacks are new', async (t) => {
  const place = await openIntakeLog(t)
  const [dir, backup] = [place.dir, (await openIntakeLog(t)).dir]
  const appended = async (...ids: readonly string[]) => {
    const log = openSqliteLog({ dir })
    const codec = await Codec.open(log.schemas)
    const intake = new Intake({ log, codec, dir, notify: (text) => void notices.push(text) })
    const counts = await intake.append(ids.map((id) => utterance(id, 'a')))
    await intake.close()
    await log.close()
    return counts
  }
  const notices: string[] = []
  await place.log.close()
  await appended('kept')
  await cp(join(dir, 'log.db'), join(backup, 'copy.db'))
  await appended('lost', 'lost too')
  await cp(join(backup, 'copy.db'), join(dir, 'log.db'))
  const grown = openSqliteLog({ dir })
  const codec = await Codec.open(grown.schemas)
  const others = ['new', 'newer', 'newest'].map((id) => recordOf(utterance(id, 'a'), codec))
  await grown.append('utterances', others)
  await grown.close()
  assert.deepEqual(notices, [])
  assert.deepEqual(await appended('kept', 'lost', 'newest'), { appended: 1, known: 2 })
  assert.match(
    notices.join(),
    /^utterances-index.db was made from another log \(utterances\/\d has another record at 2/,
  )
})

/** Spaces outside of partition 0 of 8: in a log of one partition they are in another partition. */
const spaces = ['one', 'two', 'three', 'four', 'five', 'six'].filter((name) => partitionOf(`default/${name}`, 8) !== 0)

for (const [from, to] of [
  [8, 1],
  [1, 8],
] as const) {
  test(`the index of a log with ${from} partitions is not used for another log with ${to}`, async (t) => {
    const [before, after] = [await openIntakeLog(t, from), await openIntakeLog(t, to)]
    const first = new Intake(before)
    await first.append(spaces.map((space) => utterance('1', 'a', space)))
    await first.close()
    const notices: string[] = []
    const second = new Intake({ ...after, dir: before.dir, notify: (text) => void notices.push(text) })
    for (const [n, space] of spaces.entries()) {
      const same = utterance('1', n % 2 === 0 ? 'a' : 'other content', space)
      assert.deepEqual(await second.append([same]), { appended: 1, known: 0 }, space)
    }
    assert.equal((await loggedTexts(after)).length, spaces.length)
    assert.equal(notices.length, 1)
    assert.match(notices.join(), /^utterances-index.db was made from another log \(utterances is /)
    await second.close()
  })
}

test('rows that a process wrote before it died, without their checkpoint, are never taken for those of another log', async (t) => {
  const [before, after] = [await openIntakeLog(t), await openIntakeLog(t)]
  const all = Array.from({ length: 10_000 }, (_, n) => utterance(`${n}`, 'a'))
  // The process dies while its first block is written: the block is full, and its last slice is not in the file.
  await new Intake(before).append(all)
  await new Intake(before).append([utterance('new', 'a')])
  const file = new ContentFile({ dir: before.dir, sealing: null, onRebuild: (message) => assert.fail(message) })
  assert.ok(file.contentsOf(all.map((event) => toKeyedEvent(event).key)).size > 0)
  assert.equal(file.checkpoints('complete').size, 0)
  file.close()
  const second = new Intake({ ...after, dir: before.dir })
  assert.deepEqual(await second.append(all.slice(0, 500)), { appended: 500, known: 0 })
  await second.close()
})

test('a file of an older layout is rebuilt from the log, without a notice', async (t) => {
  const { dir, ...place } = await openIntakeLog(t)
  const notify = (message: string) => assert.fail(message)
  const schema = `
    create table contents (id text primary key, content text not null, checksum integer not null) without rowid;
    create table checkpoints (
      kind text not null, partition integer not null, next integer not null, log text not null, checkpoint text not null,
      primary key (kind, partition)
    ) without rowid;
    insert into checkpoints values ('complete', ${partitionOf('default/home', 4)}, 1, 'other', 'other')
  `
  openDisposableFile({ dir, name: contentFileName, schema, layout: 3, onRebuild: notify }).close()
  await place.log.append('utterances', [recordOf(utterance('1', 'a'), place.codec)])
  const intake = new Intake({ ...place, dir, notify })
  assert.deepEqual(await intake.append([utterance('1', 'a'), utterance('2', 'a')]), { appended: 1, known: 1 })
  await intake.close()
})

test('a log that is replaced under a running process is read from its beginning, and positions are those of the new log', async (t) => {
  const [before, after] = [await openIntakeLog(t), await openIntakeLog(t, 2)]
  let { log } = before
  const current: Log = {
    ...before.log,
    append: (...args) => log.append(...args),
    read: (options) => log.read(options),
    identity: (name) => log.identity(name),
    endOffsets: (name) => log.endOffsets(name),
  }
  const notices: string[] = []
  const options = { ...before, log: current, notify: (text: string) => void notices.push(text) }
  const intake = new Intake(options)
  for (let n = 0; n < 5; n++) await intake.append([utterance(`${n}`, 'a')])
  log = after.log
  await assert.rejects(intake.append([utterance('1', 'a')]), (error) => isLoomlogError(error, 'log-replaced'))
  const partition = partitionOf('default/home', 2)
  assert.equal(await intake.positionIn('default/home'), `${partition}@0`, 'no record of the old log counts')
  assert.deepEqual(await intake.append([utterance('1', 'b')]), { appended: 1, known: 0 })
  assert.equal(await intake.positionIn('default/home'), `${partition}@1`)
  await intake.close()
  assert.equal(notices.splice(0).length, 1)
  const later = new Intake(options)
  assert.deepEqual(await later.append([utterance('1', 'b')]), { appended: 0, known: 1 })
  assert.deepEqual(notices, [], 'the checkpoints name the new log')
  await later.close()
})
