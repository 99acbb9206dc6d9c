import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cachedEmbedder } from './cache.ts'
import type { Embedder, EmbedOptions } from './embedder.ts'

/** An embedder that records its texts, and answers when the test lets it. */
function counting() {
  const asked: string[] = []
  const state = { failing: 'no' as 'no' | 'yes', wait: Promise.resolve() }
  const embedder: Embedder = {
    vectorSpace: { name: 'counting-1', dimensions: 1 },
    isBehindEndpoint: true,
    isFast: true,
    async embed(texts) {
      asked.push(...texts)
      await state.wait
      if (state.failing === 'yes') throw new Error('no luck')
      return texts.map((text) => Float32Array.of(text.length))
    },
    async close() {},
  }
  return { asked, state, embedder }
}

test('each distinct text is embedded once, within a call and from call to call', async () => {
  const { asked, embedder } = counting()
  const cached = cachedEmbedder(embedder, { maxEntries: 10 })
  assert.deepEqual(await cached.embed(['a', 'bb', 'a']), [Float32Array.of(1), Float32Array.of(2), Float32Array.of(1)])
  await cached.embed(['bb', 'ccc'])
  assert.deepEqual(asked, ['a', 'bb', 'ccc'])
  assert.equal(cached.vectorSpace, embedder.vectorSpace)
  assert.deepEqual([cached.isBehindEndpoint, cached.isFast], [true, true])
})

test('a text whose embedding is in flight is not embedded again', async () => {
  const { asked, embedder } = counting()
  const cached = cachedEmbedder(embedder, { maxEntries: 10 })
  const [first, second] = await Promise.all([cached.embed(['a']), cached.embed(['a', 'b'])])
  assert.deepEqual(first[0], second[0])
  assert.deepEqual(asked, ['a', 'b'])
})

test('a full cache evicts the least recently used text', async () => {
  const { asked, embedder } = counting()
  const cached = cachedEmbedder(embedder, { maxEntries: 2 })
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await cached.embed([text])
  assert.deepEqual(asked, ['a', 'b', 'c', 'b'])
  assert.equal((await cached.embed(['a', 'b', 'c', 'd', 'e'])).length, 5)
})

test('a failure is not cached', async () => {
  const { asked, state, embedder } = counting()
  const cached = cachedEmbedder(embedder, { maxEntries: 2 })
  state.failing = 'yes'
  await assert.rejects(cached.embed(['a', 'b']), /no luck/)
  state.failing = 'no'
  await cached.embed(['a'])
  assert.deepEqual(asked, ['a', 'b', 'a'])
})

test('batched and single vectors of a text are kept apart', async () => {
  const { asked, embedder } = counting()
  const cached = cachedEmbedder(embedder, { maxEntries: 4 })
  await cached.embed(['a'])
  await cached.embed(['a'], { shape: 'batched' })
  assert.deepEqual(asked, ['a', 'a'])
})

test('a caller that stops waiting does not affect the others', async () => {
  const { asked, state, embedder } = counting()
  const cached = cachedEmbedder(embedder, { maxEntries: 4 })
  let goOn = () => {}
  state.wait = new Promise((resolve) => {
    goOn = resolve
  })
  const stop = new AbortController()
  const stopped = cached.embed(['a'], { signal: stop.signal })
  const patient = cached.embed(['a'])
  stop.abort(new Error('enough'))
  await assert.rejects(stopped, /enough/)
  goOn()
  assert.deepEqual(await patient, [Float32Array.of(1)])
  assert.deepEqual(asked, ['a'])
})

test('a caller that changes its vector changes no other copy', async () => {
  const cached = cachedEmbedder(counting().embedder, { maxEntries: 4 })
  const [mine] = await cached.embed(['a'])
  mine?.fill(9)
  assert.deepEqual(await cached.embed(['a']), [Float32Array.of(1)])
})

test('the embedder gets the space of its caller, whether it works in the background, and the watch of its requests', async () => {
  const calls: EmbedOptions[] = []
  const { embedder } = counting()
  const embed: Embedder['embed'] = (texts, options = {}) => {
    calls.push(options)
    return embedder.embed(texts, options)
  }
  const cached = cachedEmbedder({ ...embedder, embed }, { maxEntries: 4 })
  const caller = { forSpace: 't/s', isBackground: true, whileInFlight: <T>(request: () => Promise<T>) => request() }
  await cached.embed(['a'], { ...caller, signal: new AbortController().signal })
  assert.deepEqual(calls, [{ ...caller, shape: 'one-at-a-time' }])
})

test('a live caller does not wait for a background embedding of the same text, and others join the live one', async () => {
  const { asked, state, embedder } = counting()
  const cached = cachedEmbedder(embedder, { maxEntries: 4 })
  const slot = Promise.withResolvers<void>()
  state.wait = slot.promise
  const background = cached.embed(['a'], { isBackground: true })
  state.wait = Promise.resolve()
  assert.deepEqual(await cached.embed(['a']), [Float32Array.of(1)])
  assert.deepEqual(await cached.embed(['a'], { isBackground: true }), [Float32Array.of(1)])
  slot.resolve()
  assert.deepEqual(await background, [Float32Array.of(1)])
  assert.deepEqual(asked, ['a', 'a'])
})
