import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer, folder, openWorld } from './fixture.ts'

test('an answer without its calls, of an earlier version, counts its attempts at an endpoint and none in the process', async (t) => {
  const { completions, close } = await openWorld(await folder(t))
  t.after(close)
  await completions.follow(0)
  const earlier = { attempts: 2, calls: null }
  await completions.record('t/s', answer('1', 'a', { ...earlier, model: 'openai:fake' }))
  await completions.record('t/s', answer('2', 'b', { ...earlier, model: 'words-256', attempts: 1 }))
  const calls = (await completions.usageByModel('t', 0)).map((row) => [row.model, row.calls])
  assert.deepEqual(calls, [
    ['openai:fake', 2],
    ['words-256', 0],
  ])
})
