import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { DamagedFile, openDisposableFile } from '@loomlog/log/disposable-file'
import { type Log, maxRecordBytes } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import type { AnswerRecorded } from '@loomlog/schemas/events'
import { withinSeconds } from '../../test/within-seconds.ts'
import { CompletionIndex } from './completion-index.ts'
import { CompletionsFile, completionsFileLayout, completionsFileName } from './completions-file.ts'
import { answer, appendAnswers, folder, openWorld, world } from './fixture.ts'

const answerOf = (recorded: AnswerRecorded | null) => recorded?.answer

test('if two processes record the same key, the lowest offset wins for both, and for later readers', async (t) => {
  const dir = await folder(t)
  const [one, two] = [await openWorld(dir), await openWorld(dir)]
  await Promise.all([one.completions.follow(0), two.completions.follow(0)])
  const used = await Promise.all([
    one.completions.record('t/s', answer('k', 'of one')),
    two.completions.record('t/s', answer('k', 'of two')),
    one.completions.record('t/s', answer('other', 'of one')),
  ])
  const [first] = (await one.events('completions')) as readonly AnswerRecorded[]
  assert.equal((await one.events('completions')).length, 3)
  assert.deepEqual(used.map(answerOf), [first?.answer, first?.answer, 'of one'])
  await Promise.all([one.close(), two.close()])
  for (const part of ['', '-wal', '-shm']) await rm(join(dir, `completions-index.db${part}`), { force: true })
  const later = await openWorld(dir)
  t.after(() => later.close())
  await later.completions.follow(0)
  assert.equal(answerOf(await later.completions.lookup('k')), first?.answer)
})

test('records in completions that are no answers are skipped', async (t) => {
  const here = await world(t)
  const alien = here.codec.encode({ type: 'WatermarkAdvanced', derivation: 'd', offset: 1 })
  const values = [Buffer.from('no Avro'), alien, here.codec.encode(answer('k', 'good'))]
  await here.log.append(
    'completions',
    values.map((value) => ({ key: 't/s', value, timestamp: 1 })),
  )
  await here.completions.follow(0)
  assert.equal(answerOf(await here.completions.lookup('k')), 'good')
  assert.equal(answerOf(await here.completions.record('t/s', answer('next', 'x'))), 'x')
})

test('an answer whose record is damaged is reported with its position, and is missing', async (t) => {
  const here = await world(t)
  const records = ['a', 'b'].map((key) => ({ key: 't/s', value: here.codec.encode(answer(key, key)), timestamp: 1 }))
  await here.log.append('completions', records)
  const db = new DatabaseSync(join(here.dir, 'log.db'))
  db.exec(
    "update records set timestamp = 2 where offset = 0 and topic = (select id from topics where name = 'completions')",
  )
  db.close()
  const notices: string[] = []
  const completions = new CompletionIndex({ ...here, dir: null, onRebuild: (text) => notices.push(text) })
  t.after(() => completions.close())
  await completions.follow(0)
  assert.deepEqual([await completions.lookup('a'), answerOf(await completions.lookup('b'))], [null, 'b'])
  assert.match(notices.join(), /^an answer at completions\/0@0 is lost \(damaged in the log.*asked again/)
})

test('a failed reader rejects the waiting look-ups, and the next look-up replaces it', async (t) => {
  const here = await world(t)
  let broken = true
  const log: Log = {
    ...here.log,
    read(options) {
      if (broken) throw new LoomlogError('log-unavailable', 'the log is away')
      return here.log.read(options)
    },
  }
  const completions = new CompletionIndex({ log, codec: here.codec, dir: await folder(t) })
  t.after(() => completions.close())
  await assert.rejects(completions.record('t/s', answer('k', 'first')), /the log is away/)
  broken = false
  await completions.follow(0)
  assert.equal(answerOf(await completions.lookup('k')), 'first', 'it was durable before it could be read')
})

test('after a batch fails half way, the next reader indexes all of it', async (t) => {
  const here = await world(t)
  let broken = true
  const codec: Pick<Codec, 'encode' | 'decode' | 'decodeOwn'> = {
    encode: (event) => here.codec.encode(event),
    decode: (value) => here.codec.decode(value),
    async decodeOwn(value) {
      const event = (await here.codec.decodeOwn(value)) as AnswerRecorded
      return broken && event.key === 'second' ? { ...event, key: {} as string } : event
    },
  }
  const values = ['first', 'second'].map((key) => here.codec.encode(answer(key, key)))
  await here.log.append(
    'completions',
    values.map((value) => ({ key: 't/s', value, timestamp: 1 })),
  )
  const completions = new CompletionIndex({ log: here.log, codec: codec as Codec, dir: await folder(t) })
  t.after(() => completions.close())
  await assert.rejects(completions.follow(0))
  assert.equal(await completions.lookup('first'), null)
  broken = false
  await completions.follow(0)
  assert.deepEqual(
    [answerOf(await completions.lookup('first')), answerOf(await completions.lookup('second'))],
    ['first', 'second'],
  )
})

test('a paid answer is retried until the log takes it', async (t) => {
  const here = await world(t)
  let refused = 0
  const log: Log = {
    ...here.log,
    async append(topic, records) {
      refused += 1
      if (refused <= 1) throw new LoomlogError('log-full', 'no room')
      return here.log.append(topic, records)
    },
  }
  const completions = new CompletionIndex({ log, codec: here.codec, dir: await folder(t) })
  t.after(() => completions.close())
  const answers = ['a', 'b', 'c'].map((key) => completions.record('t/s', answer(key, key)))
  assert.deepEqual((await Promise.all(answers)).map(answerOf), ['a', 'b', 'c'])
  assert.equal((await here.records('completions')).length, 3)
})

test('answers that arrive during an append share the next one', async (t) => {
  const here = await world(t)
  const appends: number[] = []
  const log: Log = {
    ...here.log,
    async append(topic, records) {
      appends.push(records.length)
      return here.log.append(topic, records)
    },
  }
  const completions = new CompletionIndex({ log, codec: here.codec, dir: await folder(t) })
  t.after(() => completions.close())
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => completions.record('t/s', answer(`k${index}`, `${index}`))),
  )
  assert.deepEqual(appends, [1, 19])
})

test('an answer too large for a record is recorded as none, and not asked again', async (t) => {
  const here = await world(t)
  const recorded = await here.completions.record('t/s', answer('k', 'x'.repeat(maxRecordBytes)))
  assert.equal(recorded.answer, null)
  assert.match(recorded.none ?? '', /the answer has 1000\d\d\d bytes/)
})

test('an answer above a lower limit of the log is recorded as none, and the others of its append are kept', async (t) => {
  const here = await world(t)
  const log: Log = {
    ...here.log,
    async append(topic, records) {
      if (records.some(({ value }) => value.length > 5_000)) throw new LoomlogError('record-too-large', 'over 5000')
      return here.log.append(topic, records)
    },
  }
  const completions = new CompletionIndex({ log, codec: here.codec, dir: await folder(t) })
  t.after(() => completions.close())
  const texts = ['a', 'b', 'x'.repeat(6_000), 'c']
  const recorded = await Promise.all(texts.map((text, at) => completions.record('t/s', answer(`k${at}`, text))))
  assert.deepEqual(recorded.map(answerOf), ['a', 'b', null, 'c'])
  assert.match(recorded[2]?.none ?? '', /^the answer has 6\d\d\d bytes: over 5000$/)
})

test('while the file can not be written, calls fail with an error that is retried, and no answer is lost', async (t) => {
  const here = await world(t)
  await here.completions.follow(0)
  const db = openDisposableFile({
    dir: here.dir,
    name: completionsFileName,
    schema: '',
    layout: completionsFileLayout,
    onRebuild: assert.fail,
  })
  t.after(() => db.close())
  db.exec(`create trigger full before insert on recorded begin select raise(abort, 'disk is full'); end`)
  await assert.rejects(here.completions.record('t/s', answer('k', 'x')), (error) => {
    assert.ok(isLoomlogError(error, 'index-unavailable') && error.retryable)
    return error.message === "completions-index.db can't be used: disk is full"
  })
  db.exec('drop trigger full')
  await here.completions.follow(0)
  assert.equal(answerOf(await here.completions.lookup('k')), 'x')
})

test('closing rejects waiting calls, and every accepted answer is in the log', async (t) => {
  const dir = await folder(t)
  const here = await openWorld(dir)
  await here.completions.follow(0)
  const outcome = here.completions.record('t/s', answer('k', 'x')).then(answerOf, (error: Error) => error.message)
  await here.completions.close()
  assert.equal((await here.records('completions')).length, 1)
  assert.match(String(await outcome), /^x$|not followed|closed/)
  await assert.rejects(here.completions.follow(0), /closed/)
  await here.close()
})

test('an index file of garbage is deleted and rebuilt, with a message', async (t) => {
  const dir = await folder(t)
  const here = await openWorld(dir)
  await appendAnswers(here, answer('k', 'good'))
  await here.close()
  await writeFile(join(dir, 'completions-index.db'), 'x'.repeat(5_000))
  const rebuilds: string[] = []
  const log = openSqliteLog({ dir })
  t.after(() => log.close())
  const codec = await Codec.open(log.schemas)
  const completions = new CompletionIndex({ log, codec, dir, onRebuild: (message) => rebuilds.push(message) })
  t.after(() => completions.close())
  await completions.follow(0)
  assert.equal(answerOf(await completions.lookup('k')), 'good')
  assert.match(rebuilds.join(), /completions-index.db is damaged/)
})

test('a damaged answer is read again from the log, and never paid for twice', async (t) => {
  const dir = await folder(t)
  const here = await openWorld(dir)
  t.after(() => here.close())
  await here.completions.follow(0)
  for (const key of ['one', 'two']) await here.completions.record('t/s', answer(key, key))
  const file = new DatabaseSync(join(dir, 'completions-index.db'))
  file.exec(`update recorded set value = x'00' where key = 'one'`)
  file.close()
  const found = await Promise.all(['one', 'two'].map(async (key) => answerOf(await here.completions.lookup(key))))
  assert.deepEqual(found, ['one', 'two'])
})

test('a file damaged again during its rebuild is rebuilt by the next look-up', async (t) => {
  const dir = await folder(t)
  const here = await openWorld(dir)
  t.after(() => withinSeconds(here.close(), 'the index closes'))
  await here.completions.follow(0)
  await here.completions.record('t/s', answer('one', 'one'))
  const file = new DatabaseSync(join(dir, completionsFileName))
  file.exec(`update recorded set value = x'00' where key = 'one'`)
  file.close()
  const again = t.mock.method(CompletionsFile.prototype, 'checkpoint', () => {
    throw new DamagedFile('damaged again')
  })
  const damaged = withinSeconds(here.completions.lookup('one'), 'a look-up fails while the file is damaged again')
  await assert.rejects(damaged, { code: 'index-unavailable' })
  again.mock.restore()
  const found = await withinSeconds(here.completions.lookup('one'), 'the next look-up rebuilds the file')
  assert.equal(answerOf(found), 'one')
})

test('usage counts each recorded answer once, by account, across restarts and with the index gone', async (t) => {
  const dir = await folder(t)
  const here = await openWorld(dir)
  await here.completions.follow(0)
  const paid = { attempts: 2, calls: 2, inputTokens: 100, outputTokens: 7 }
  await here.completions.record('t/s', answer('1', 'a', paid))
  await here.completions.record('t/s', answer('2', 'b', paid))
  await here.completions.record('t/s', answer('2', 'paid for twice', paid))
  await here.completions.record('u/s', answer('3', 'c', { ...paid, tenant: 'u', stage: null, prompt: null }))
  const account = { tenant: 't', space: 's', stage: 'toy-stage', task: 'judge', prompt: 'p1', model: 'toy' }
  const sum = { asks: 2, calls: 4, repairs: 2, inputTokens: 200, outputTokens: 14 }
  const other = {
    ...account,
    tenant: 'u',
    stage: '',
    prompt: '',
    asks: 1,
    calls: 2,
    repairs: 1,
    inputTokens: 100,
    outputTokens: 7,
  }
  const plain = (rows: readonly object[]) => rows.map((row) => ({ ...row }))
  async function check({ completions }: typeof here): Promise<void> {
    assert.deepEqual(plain(await completions.usage(null, 10)), [{ ...account, ...sum }, other])
    assert.deepEqual(plain(await completions.usage('t', 10)), [{ ...account, ...sum }])
    assert.equal((await completions.usage(null, 1)).length, 1)
    assert.deepEqual(plain(await completions.usageByModel('t', Date.now() - 1_000)), [{ model: 'toy', ...sum }])
    const [today, ...earlier] = plain(await completions.usageByDay('t', Date.now() - 86_400_000, 10))
    const day = Math.floor(Date.now() / 86_400_000)
    assert.deepEqual([today, earlier], [{ day, stage: 'toy-stage', prompt: 'p1', model: 'toy', ...sum }, []])
    assert.deepEqual(await completions.usageByModel(null, Date.now() + 2 * 86_400_000), [])
  }
  await check(here)
  await here.close()
  for (const gone of [false, true]) {
    if (gone)
      for (const part of ['', '-wal', '-shm']) await rm(join(dir, `completions-index.db${part}`), { force: true })
    const again = await openWorld(dir)
    await again.completions.follow(0)
    await check(again)
    await again.close()
  }
})
