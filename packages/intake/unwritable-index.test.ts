/** The index is disposable: a full disk stops no append that memory has room for. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { openDisposableFile } from '@loomlog/log/disposable-file'
import { Intake } from './append.ts'
import { maxBufferedEntries } from './content-buffer.ts'
import { ContentFile, contentFileLayout, contentFileName } from './content-file.ts'
import { ContentIndex } from './content-index.ts'
import { loggedTexts, openIntakeLog, utterance } from './fixture.ts'

/** SQLite refuses every new row, as on a full disk, until the returned function is called. */
function fillDisk(t: TestContext, dir: string): () => void {
  const db = openDisposableFile({
    dir,
    name: contentFileName,
    schema: '',
    layout: contentFileLayout,
    onRebuild: (message) => assert.fail(message),
  })
  t.after(() => db.close())
  db.exec(`create trigger full before insert on contents begin select raise(abort, 'disk is full'); end`)
  return () => db.exec('drop trigger full')
}

const all = Array.from({ length: 10_000 }, (_, n) => utterance(`${n}`, 'a'))

test('while the file can not be written, appends succeed and ids are known; then the file gets every entry', async (t) => {
  const place = await openIntakeLog(t)
  const notices: string[] = []
  const options = { ...place, notify: (text: string) => void notices.push(text) }
  const intake = new Intake(options)
  await intake.append(all)
  const makeRoom = fillDisk(t, place.dir)
  for (const id of ['x', 'y']) assert.deepEqual(await intake.append([utterance(id, 'a')]), { appended: 1, known: 0 })
  assert.deepEqual(await intake.append([utterance('0', 'a'), utterance('x', 'a')]), { appended: 0, known: 2 })
  assert.equal(notices.length, 1)
  assert.match(notices.join(), /^utterances-index.db in .* can't be used: disk is full: new entries stay in memory/)
  makeRoom()
  await intake.close()
  const later = new Intake(options)
  assert.deepEqual(await later.append([...all, utterance('x', 'a'), utterance('y', 'a')]), {
    appended: 0,
    known: 10_002,
  })
  await later.close()
  assert.equal((await loggedTexts(place)).length, 10_002)
})

test('a process that dies while the file can not be written leaves no checkpoint past a missing entry', async (t) => {
  const place = await openIntakeLog(t)
  const intake = new Intake(place)
  await intake.append(all)
  const makeRoom = fillDisk(t, place.dir)
  await intake.append([utterance('x', 'a')])
  makeRoom()
  const later = new Intake(place)
  assert.deepEqual(await later.append([...all, utterance('x', 'a')]), { appended: 0, known: 10_001 })
  await later.close()
})

test('a damaged file that can not be replaced now is replaced by a later call', async (t) => {
  const { dir } = await openIntakeLog(t)
  const rebuilds: string[] = []
  const file = new ContentFile({ dir, sealing: null, onRebuild: (message) => void rebuilds.push(message) })
  t.after(() => file.close())
  const row = { id: 'default/home/0', content: 'c', offset: 0 }
  file.insert([row])
  const other = new DatabaseSync(join(dir, contentFileName))
  other.exec(`update contents set content = 'd'`)
  other.close()
  const pragma = t.mock.method(DatabaseSync.prototype, 'exec', () => {
    throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
  })
  for (const message of [/was damaged/, /disk is full/, /disk is full/])
    assert.throws(() => file.contentsOf([row.id]), { code: 'index-unavailable', message })
  pragma.mock.restore()
  assert.equal(file.contentsOf([row.id]).size, 0)
  file.insert([row])
  assert.equal(file.contentsOf([row.id]).get(row.id), 'c')
  assert.match(rebuilds.join(), /is damaged/)
})

test('when memory is full too, a request is refused before its write, and may be retried', async (t) => {
  const place = await openIntakeLog(t)
  const index = new ContentIndex(place)
  const makeRoom = fillDisk(t, place.dir)
  await index.catchUp(new Set(['default/home']))
  const record = { key: 'default/home', value: new Uint8Array(), timestamp: 1 }
  const entries = Array.from({ length: maxBufferedEntries + 10_000 }, (_, offset) => ({
    key: `default/home/${offset}`,
    content: 'c',
    record,
    position: { topic: 'utterances', partition: 0, offset },
  }))
  index.addAppended(entries.slice(0, 10_000))
  await index.writeWhile(Promise.resolve(), 1)
  index.addAppended(entries.slice(10_000))
  await assert.rejects(index.catchUp(new Set(['default/home'])), (error) => {
    assert.ok(isLoomlogError(error, 'index-unavailable') && error.retryable)
    return /disk is full/.test(error.message)
  })
  makeRoom()
  index.close()
})
