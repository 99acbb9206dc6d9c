import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { ModelUnavailable } from './unavailable.ts'
import { workerPool } from './worker-pool.ts'

/** Depending on its input, answers with its thread's id after some ms, dies, throws or refuses. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort, threadId } from 'node:worker_threads'
  parentPort.on('message', (input) => {
    if (input === 'die') process.exit(3)
    if (input === 'throw') throw new Error('out of luck')
    if (input === 'refuse') return parentPort.postMessage({ refused: 'not this one' })
    setTimeout(() => parentPort.postMessage({ value: threadId }), input)
  })
`)}`,
)

function pool(threads: number) {
  return workerPool<number | string, number>({ name: 'test pool', script, threads })
}

test('a thread that dies fails its own job only, and is replaced', async () => {
  const one = pool(1)
  const first = await one.run(0, undefined)
  const jobs = await Promise.allSettled([one.run('die', undefined), one.run('throw', undefined), one.run(0, undefined)])
  await one.close()
  const [died, threw, next] = jobs
  assert.ok(died?.status === 'rejected' && died.reason instanceof ModelUnavailable)
  assert.equal(died.reason.message, 'a thread of test pool died: exit code 3')
  assert.ok(threw?.status === 'rejected' && /died: out of luck/.test(threw.reason.message))
  assert.ok(next?.status === 'fulfilled' && next.value !== first)
})

test('a refused job leaves the thread alive', async () => {
  const one = pool(1)
  const thread = await one.run(0, undefined)
  await assert.rejects(one.run('refuse', undefined), (error) => isLoomlogError(error, 'model-refused'))
  assert.equal(await one.run(0, undefined), thread)
  await one.close()
})

test('threads share the jobs, and no more threads start than there are jobs', async () => {
  const three = pool(3)
  assert.equal(new Set([await three.run(0, undefined), await three.run(0, undefined)]).size, 1)
  const threads = await Promise.all([1, 2, 3, 4].map(() => three.run(100, undefined)))
  await three.close()
  assert.equal(new Set(threads).size, 3)
})

test('a job whose signal aborts in the queue never runs', async () => {
  const one = pool(1)
  const stop = new AbortController()
  const busy = one.run(50, undefined)
  const waiting = one.run('die', stop.signal)
  stop.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)
  assert.ok((await busy) > 0)
  await one.close()
})

test('close fails running jobs and later ones', async () => {
  const one = pool(1)
  const jobs = Promise.allSettled([one.run(10_000, undefined), one.run(0, undefined)])
  await one.close()
  await one.close()
  for (const job of await jobs) assert.ok(job.status === 'rejected' && /is closed/.test(job.reason.message))
  await assert.rejects(one.run(0, undefined), /is closed/)
})
