import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import { type Log, maxRecordBytes } from '@loomlog/log/port'
import { Intake, maxQueuedEvents, recordOf } from './append.ts'
import { IdConflict } from './duplicates.ts'
import { loggedTexts, openIntakeLog, utterance } from './fixture.ts'

test('a duplicate is known and not written, in one input, later, and in another process', async (t) => {
  const place = await openIntakeLog(t)
  const intake = new Intake(place)
  assert.deepEqual(await intake.append([utterance('1', 'a'), utterance('1', 'a')]), { appended: 1, known: 1 })
  assert.deepEqual(await intake.append([utterance('1', 'a'), utterance('2', 'b')]), { appended: 1, known: 1 })
  assert.deepEqual(await new Intake(place).append([utterance('2', 'b')]), { appended: 0, known: 1 })
  assert.deepEqual(await loggedTexts(place), ['a', 'b'])
})

test('an id with other content is refused before any write, also if another process wrote it first', async (t) => {
  const place = await openIntakeLog(t)
  const intake = new Intake(place)
  await intake.append([utterance('1', 'a')])
  await place.log.append('utterances', [recordOf(utterance('2', 'theirs'), place.codec)])
  for (const batch of [
    [utterance('9', 'x'), utterance('1', 'b')],
    [utterance('9', 'x'), utterance('2', 'ours')],
    [utterance('9', 'x'), utterance('9', 'y')],
  ]) {
    await assert.rejects(intake.append(batch), (error) => error instanceof IdConflict && error.id === batch[1]?.id)
  }
  assert.deepEqual(await loggedTexts(place), ['a', 'theirs'])
})

test('of two concurrent requests with the same id, one wins and the other is refused', async (t) => {
  const place = await openIntakeLog(t)
  const intake = new Intake(place)
  const both = await Promise.allSettled([intake.append([utterance('1', 'a')]), intake.append([utterance('1', 'b')])])
  assert.deepEqual(
    both.map((one) => one.status),
    ['fulfilled', 'rejected'],
  )
  assert.deepEqual(await loggedTexts(place), ['a'])
})

test('an utterance without a time of its own is known at another time, in another process too; one with a time is not', async (t) => {
  const place = await openIntakeLog(t)
  const untimed = (at: number) => ({ ...utterance('1', 'a'), at, isTimeGiven: false })
  const timed = (at: number) => ({ ...utterance('2', 'b'), at })
  // Both processes have read the log when it is empty.
  const [one, other] = [new Intake(place), new Intake(place)]
  for (const intake of [one, other]) await intake.append([utterance('0', 'x')])
  const both = await Promise.all([one.append([untimed(7)]), other.append([untimed(8)])])
  assert.deepEqual(
    both.map(({ appended, known }) => appended - known).sort((a, b) => a - b),
    [-1, 1],
  )
  await one.append([timed(7)])
  assert.deepEqual(await other.append([untimed(9)]), { appended: 0, known: 1 })
  await assert.rejects(other.append([timed(8)]), IdConflict)
})

test('the same id in another space is another utterance', async (t) => {
  const place = await openIntakeLog(t)
  const intake = new Intake(place)
  await intake.append([utterance('1', 'a')])
  assert.deepEqual(await intake.append([utterance('1', 'b', 'work')]), { appended: 1, known: 0 })
})

test('undecodable bytes in the log do not make later requests fail', async (t) => {
  const place = await openIntakeLog(t)
  await place.log.append('utterances', [{ key: 'default/home', value: Buffer.from('garbage'), timestamp: 0 }])
  assert.deepEqual(await new Intake(place).append([utterance('1', 'a')]), { appended: 1, known: 0 })
})

test('an aborted append returns the number of durable events, and a retry appends the rest', async (t) => {
  const place = await openIntakeLog(t)
  const intake = new Intake(place)
  const all = Array.from({ length: 1_200 }, (_, n) => utterance(`${n}`, `text ${n}`))
  const stop = new AbortController()
  const stopped = await intake.append(all, { signal: stop.signal, onProgress: () => stop.abort() })
  assert.deepEqual(stopped, { appended: 500, known: 0 })
  assert.deepEqual(await intake.append(all), { appended: 700, known: 500 })
  assert.equal(new Set(await loggedTexts(place)).size, 1_200)
})

test('a failed append adds nothing to the index of known ids', async (t) => {
  const place = await openIntakeLog(t)
  let failing = true
  const log: Log = {
    ...place.log,
    append: (...args) => (failing ? Promise.reject(new Error('no disk')) : place.log.append(...args)),
  }
  const intake = new Intake({ ...place, log })
  await assert.rejects(intake.append([utterance('1', 'a')]), /no disk/)
  failing = false
  assert.deepEqual(await intake.append([utterance('1', 'a')]), { appended: 1, known: 0 })
})

/** The log, with a record of every append and of every offset that a read starts at. */
function watched(log: Log): { log: Log; readonly appends: number[]; readonly read: number[] } {
  const appends: number[] = []
  const read: number[] = []
  const append: Log['append'] = (topic, records) => {
    appends.push(records.length)
    return log.append(topic, records)
  }
  async function* noted(options: Parameters<Log['read']>[0]) {
    for await (const records of log.read(options)) {
      read.push(...records.map(({ offset }) => offset))
      yield records
    }
  }
  return { log: { ...log, append, read: noted }, appends, read }
}

test('concurrent requests share appends, and each gets its own result', async (t) => {
  const place = await openIntakeLog(t)
  const { log, appends } = watched(place.log)
  const intake = new Intake({ ...place, log })
  await intake.append([utterance('7', 'first')])
  const outcomes = await Promise.allSettled(
    Array.from({ length: 200 }, (_, n) => intake.append([utterance(`${n}`, `text ${n}`)])),
  )
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 199)
  const refused = outcomes[7] as PromiseRejectedResult
  assert.ok(refused.reason instanceof IdConflict)
  assert.equal((await loggedTexts(place)).length, 200)
  assert.ok(appends.length <= 5, `${appends.length} appends`)
})

test('the same event in two requests at once is written once, and acknowledged to both', async (t) => {
  const place = await openIntakeLog(t)
  const intake = new Intake(place)
  await intake.append([utterance('0', 'open')])
  const both = await Promise.all([intake.append([utterance('1', 'a')]), intake.append([utterance('1', 'a')])])
  assert.deepEqual(both, [
    { appended: 1, known: 0 },
    { appended: 0, known: 1 },
  ])
  assert.deepEqual(await loggedTexts(place), ['open', 'a'])
})

test('a request with a record that is too large is refused, and no concurrent one is', async (t) => {
  const place = await openIntakeLog(t)
  const intake = new Intake(place)
  const large = { ...utterance('large', 'x'), text: 'x'.repeat(maxRecordBytes) }
  const all = [[utterance('1', 'a')], [large], [large, utterance('2', 'b')], [utterance('3', 'c')]].map((each) =>
    intake.append(each),
  )
  const outcomes = await Promise.allSettled(all)
  assert.deepEqual(
    outcomes.map((one) => (one.status === 'rejected' ? (one.reason as { code: string }).code : one.value.appended)),
    [1, 'record-too-large', 'record-too-large', 1],
  )
  assert.deepEqual((await loggedTexts(place)).sort(), ['a', 'c'])
})

test('a full queue refuses requests, loses none of the queued ones, and accepts more when it is empty', async (t) => {
  const place = await openIntakeLog(t)
  const intake = new Intake(place)
  const request = (n: number) => Array.from({ length: 500 }, (_, at) => utterance(`${n}-${at}`, 'a'))
  const taken = Array.from({ length: maxQueuedEvents / 500 + 1 }, (_, n) => intake.append(request(n)))
  await assert.rejects(
    intake.append([utterance('1', 'a')]),
    (error) => isLoomlogError(error, 'overloaded') && error.retryable,
  )
  await Promise.all(taken)
  assert.equal((await loggedTexts(place)).length, maxQueuedEvents + 500)
  assert.deepEqual(await intake.append([utterance('1', 'a')]), { appended: 1, known: 0 })
})

/** A log whose ends are slow to read, as on Kafka: an intake reads them less often. */
function remote(log: Log, maxEndAgeMs = 60_000): Log {
  return { ...log, maxEndAgeMs }
}

test('while the end of a partition is known, an append requests no end', async (t) => {
  const place = await openIntakeLog(t)
  let asks = 0
  const read: Log['read'] = (options) => {
    asks += 1
    return place.log.read(options)
  }
  const intake = new Intake({ ...place, log: { ...remote(place.log), read } })
  for (let n = 0; n < 10; n++) await intake.append([utterance(`${n}`, 'a')])
  assert.equal(asks, 1)
  await place.log.append('utterances', [recordOf(utterance('theirs', 'a'), place.codec)])
  await intake.append([utterance('10', 'a')])
  assert.equal(asks, 2, 'the offsets of an append show that another process appended')
})

test('an end that has been known for too long is requested again', async (t) => {
  const place = await openIntakeLog(t)
  const intake = new Intake({ ...place, log: remote(place.log, 20) })
  await intake.append([utterance('1', 'a')])
  await place.log.append('utterances', [recordOf(utterance('2', 'theirs'), place.codec)])
  await sleep(30)
  await assert.rejects(intake.append([utterance('3', 'a'), utterance('2', 'ours')]), IdConflict)
  assert.equal((await loggedTexts(place)).length, 2, 'the conflict was refused before its write')
})

test('if another process appends the same id at the same moment, other content is refused, and the same content is known', async (t) => {
  const place = await openIntakeLog(t)
  const intake = new Intake({ ...place, log: remote(place.log) })
  await intake.append([utterance('1', 'a')])
  await place.log.append('utterances', [recordOf(utterance('2', 'theirs'), place.codec)])
  const outcomes = await Promise.allSettled([
    intake.append([utterance('3', 'ours')]),
    intake.append([utterance('4', 'ours'), utterance('2', 'ours')]),
    // The same request again, over another connection.
    intake.append([utterance('4', 'ours'), utterance('2', 'ours')]),
  ])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected'],
  )
  const { reason } = outcomes[1] as PromiseRejectedResult
  assert.ok(reason instanceof IdConflict && reason.id === '2')
  await place.log.append('utterances', [recordOf(utterance('5', 'same'), place.codec)])
  assert.deepEqual(await intake.append([utterance('5', 'same'), utterance('6', 'new')]), { appended: 1, known: 1 })
  assert.deepEqual(await intake.append([utterance('2', 'theirs'), utterance('5', 'same')]), { appended: 0, known: 2 })
})

test('after an append with an unknown outcome, the log is read before the next one', async (t) => {
  const place = await openIntakeLog(t)
  let isLosing = false
  const append: Log['append'] = async (topic, records) => {
    const positions = await place.log.append(topic, records)
    if (isLosing) throw new Error('the answer is lost')
    return positions
  }
  const intake = new Intake({ ...place, log: { ...remote(place.log), append } })
  await intake.append([utterance('1', 'a')])
  isLosing = true
  await assert.rejects(intake.append([utterance('2', 'a')]), /lost/)
  isLosing = false
  await assert.rejects(intake.append([utterance('2', 'b')]), IdConflict)
  assert.deepEqual(await intake.append([utterance('2', 'a')]), { appended: 0, known: 1 })
  assert.deepEqual(await loggedTexts(place), ['a', 'a'], 'the conflict was refused before its write')
})

test('after a restart only new records are read from the log', async (t) => {
  const place = await openIntakeLog(t)
  const first = new Intake(place)
  await first.append(Array.from({ length: 100 }, (_, n) => utterance(`${n}`, 'a')))
  await first.close()
  const { log, read } = watched(place.log)
  const second = new Intake({ ...place, log })
  assert.deepEqual(await second.append([utterance('1', 'a'), utterance('new', 'a')]), { appended: 1, known: 1 })
  assert.deepEqual(read, [99], 'the last record, to compare it with the checkpoint')
  await second.close()
})
