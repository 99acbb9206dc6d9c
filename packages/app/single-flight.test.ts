import assert from 'node:assert/strict'
import { test } from 'node:test'
import { singleFlight } from './single-flight.ts'

test('callers that come during a run share the next one, and none gets a result from before its call', async () => {
  const runs: PromiseWithResolvers<number>[] = []
  const call = singleFlight(() => {
    const run = Promise.withResolvers<number>()
    runs.push(run)
    return run.promise
  })
  const first = call()
  const later = [call(), call(), call()]
  assert.equal(runs.length, 1)
  runs[0]?.resolve(1)
  assert.equal(await first, 1)
  const last = call()
  runs[1]?.resolve(2)
  assert.deepEqual(await Promise.all(later), [2, 2, 2])
  runs[2]?.resolve(3)
  assert.equal(await last, 3)
  assert.equal(runs.length, 3)
})

test('a failed run fails its callers only', async () => {
  let runs = 0
  const call = singleFlight(async () => {
    runs += 1
    if (runs === 1) throw new Error('away')
    return runs
  })
  const [first, second] = [call(), call()]
  await assert.rejects(first, /away/)
  assert.equal(await second, 2)
})
