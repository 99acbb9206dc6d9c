import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LoomlogError } from '@loomlog/errors'
import { recordOf } from '@loomlog/intake/append'
import { utteranceFrom } from '@loomlog/intake/utterance'
import type { Embedder } from '@loomlog/models/embedder'
import { memoryStore } from '@loomlog/views/in-memory'
import { ViewReader } from '@loomlog/views/reader'
import { until } from '../../test/within-seconds.ts'
import { embedder, temporaryGateway } from './fixture.ts'
import { defaultLimits } from './limits.ts'
import { ReadSlots } from './read-slots.ts'

/** A new caller each time. */
const caller = (departure = new AbortController().signal, name = `c${++callers}`) => ({ name, departure })
let callers = 0

/** Work that ends on command; counts how much of it runs. */
function workload() {
  const ends: (() => void)[] = []
  let most = 0
  let running = 0
  const work = async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise<void>((resolve) => ends.push(resolve))
    running -= 1
  }
  return { work, ends, most: () => most, running: () => running }
}

test('work up to the limit runs at once, the rest in order, and work beyond the queue is refused', async () => {
  const slots = new ReadSlots({ ...defaultLimits, reads: 2, queuedReads: 3 })
  const { work, ends, most } = workload()
  const all = Array.from({ length: 10 }, () => slots.run(caller(), work))
  const outcomes = Promise.allSettled(all)
  for (let done = 0; done < 5; done++) {
    await until(() => ends.length > done, `read ${done + 1} of 5 gets a slot`)
    ends[done]?.()
  }
  const refused = (await outcomes).flatMap((one) => (one.status === 'rejected' ? [one.reason as LoomlogError] : []))
  assert.deepEqual([most(), refused.length], [2, 5])
  assert.ok(refused.every(({ code, retryable }) => code === 'overloaded' && retryable))
})

test('work that waits too long for a slot is refused, and queued work whose caller left is dropped', async () => {
  const slots = new ReadSlots({ ...defaultLimits, reads: 1, queuedReads: 9, queueMs: 50 })
  const { work, ends } = workload()
  const first = slots.run(caller(), work)
  const leaving = new AbortController()
  const left = slots.run(caller(leaving.signal), work)
  leaving.abort(new Error('left'))
  await assert.rejects(left, /left/)
  await assert.rejects(
    slots.run(caller(), work),
    (error) => error instanceof LoomlogError && error.code === 'overloaded',
  )
  ends[0]?.()
  await first
  const next = slots.run(caller(), work)
  await until(() => ends.length === 2, 'the slot of a read that ended is free')
  ends[1]?.()
  await next
})

test('work that takes too long is answered with an error, and keeps its slot until it stops', async () => {
  const slots = new ReadSlots({ ...defaultLimits, reads: 1, readMs: 20, queueMs: 20 })
  const { work, ends, most } = workload()
  const overloaded = (error: unknown) => error instanceof LoomlogError && error.code === 'overloaded'
  await assert.rejects(slots.run(caller(), work), overloaded)
  await assert.rejects(slots.run(caller(), work), overloaded)
  assert.deepEqual([ends.length, most()], [1, 1])
  ends[0]?.()
  await until(
    () =>
      slots
        .run(caller(), async () => {})
        .then(
          () => true,
          () => false,
        ),
    'the slot of a read that stopped late is free',
  )
})

test('one caller leaves slots, and room in the queue, to others', async () => {
  const slots = new ReadSlots({ ...defaultLimits, reads: 4, queuedReads: 4, queueMs: 1_000 })
  const { work, ends, running } = workload()
  const busy = () => slots.run(caller(undefined, 'busy'), work)
  const all = Array.from({ length: 6 }, busy)
  await until(() => running() === 3, 'one caller gets three of four slots')
  await assert.rejects(busy(), /3 reads of this caller are queued/)
  const other = slots.run(caller(), work)
  await until(() => running() === 4, 'another caller gets the fourth slot')
  ends[3]?.()
  await other
  assert.equal(running(), 3, 'the slot of the other caller stays free')
  for (let ended = 0; ended < 7; ended++) {
    await until(() => ends.length > ended, `read ${ended + 1} of 7 gets a slot`)
    ends[ended]?.()
  }
  await Promise.all(all)
})

test('work that throws frees its slot', async () => {
  const slots = new ReadSlots({ ...defaultLimits, reads: 1, queuedReads: 0 })
  const wrong = () => {
    throw new Error('wrong')
  }
  for (let time = 0; time < 3; time++) await assert.rejects(slots.run(caller(), wrong), /wrong/)
})

test('a thousand recalls at once are each answered, or refused with Retry-After; few of them read at once', async (t) => {
  let [reading, most] = [0, 0]
  const sources = new Map([['utterances', 'utterances']])
  const views = new ViewReader({ store: memoryStore(), vectorSpace: embedder.vectorSpace, partitions: 4, sources })
  const counted: Embedder = {
    ...embedder,
    async embed(texts) {
      reading += 1
      most = Math.max(most, reading)
      await sleep(2)
      reading -= 1
      return embedder.embed(texts)
    },
  }
  const { app, log, codec } = await temporaryGateway(t, {
    limits: { reads: 4, queuedReads: 100 },
    reading: async () => ({ generation: 'g1', epoch: 0, views, embedder: counted }),
  })
  const said = { id: 'z', conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: 'A zebra.' }
  const event = utteranceFrom(said, { tenant: 'default', space: 'home' }, Date.now())
  await log.append('utterances', [recordOf(event, codec)])
  const ask = () => app.inject('/v1/spaces/home/recall?query=zebra')
  const answers = await Promise.all(Array.from({ length: 1_000 }, ask))
  const withStatus = (status: number) => answers.filter(({ statusCode }) => statusCode === status)
  const [answered, refused] = [withStatus(200), withStatus(503)]
  assert.equal(answered.length + refused.length, 1_000)
  for (const answer of answered) assert.equal(answer.json().memories[0].id, 'z')
  assert.ok(refused.length >= 800 && refused.every(({ headers }) => headers['retry-after'] === '1'))
  assert.ok(most > 1 && most <= 4, `${most} at once`)
})

test('a queued recall whose caller left never starts', async (t) => {
  const begun: string[] = []
  const { work, ends } = workload()
  const { app } = await temporaryGateway(t, {
    limits: { reads: 1 },
    reading: async (tenant) => {
      begun.push(tenant)
      await work()
      throw new LoomlogError('not-found', 'no generation')
    },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const port = (app.server.address() as AddressInfo).port
  const ask = (tenant: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `GET /v1/spaces/home/recall?query=zebra HTTP/1.1\r\nHost: localhost\r\nx-loomlog-tenant: ${tenant}\r\n\r\n`,
    )
    return socket.resume()
  }
  const first = ask('first')
  await until(() => ends.length === 1, 'the first recall reads')
  const leaving = ask('leaving')
  const last = ask('last')
  await sleep(100)
  leaving.destroy()
  await sleep(100)
  ends[0]?.()
  await until(() => ends.length === 2, 'a queued recall whose caller stayed reads')
  ends[1]?.()
  assert.deepEqual(begun, ['first', 'last'])
  first.destroy()
  last.destroy()
})

test('status and usage take slots of reads, since they read the log, too', async (t) => {
  const held = async () => {
    await sleep(300)
    return {}
  }
  const { app } = await temporaryGateway(t, { limits: { reads: 1, queuedReads: 0 }, status: held, usage: held })
  for (const urls of [
    ['/v1/status', '/v1/usage'],
    ['/v1/usage', '/v1/status'],
  ]) {
    const answers = await Promise.all(urls.map((url) => app.inject(url)))
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [200, 503],
    )
  }
})
