import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendForgettingEvents } from '@loomlog/forgetting/forgettings'
import { TextMap } from '@loomlog/text-caches'
import { eventually } from '../../../test/eventually.ts'
import { folder, withHost } from '../../../test/pipeline/forgetting-fixture.ts'
import { forgetTextsWithLog } from './forget-texts.ts'
import { statusEvent } from './job.ts'

test('a process empties its caches when another one has destroyed records, not before, and once more later', async (t) => {
  const dir = await folder(t)
  await withHost(dir, async (host) => {
    const over = new AbortController()
    const onError = (error: unknown) => assert.fail(error as Error)
    const part = await forgetTextsWithLog(host, { signal: over.signal, onError, lateMs: 1_000 })
    const texts = new TextMap<number>().set('a text', 1)
    await withHost(dir, async (other) => {
      const state = { id: 'f1', tenant: 'acme', space: 'home' }
      await appendForgettingEvents([statusEvent(state, 'rewritten', {}), statusEvent(state, 'listed', {})], other)
      await new Promise((resolve) => setTimeout(resolve, 500))
      assert.equal(texts.size, 1)
      await appendForgettingEvents([statusEvent(state, 'destroyed', {})], other)
    })
    await eventually(() => assert.equal(texts.size, 0), 10_000)
    texts.set('a text that a request read before', 2)
    await eventually(() => assert.equal(texts.size, 0), 10_000)
    await part.close()
  })
})
