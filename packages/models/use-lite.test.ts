import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { Socket } from 'node:net'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { useLite } from './use-lite.ts'
import { loadUseLite } from './use-lite-model.ts'

const embedder = useLite()
after(() => embedder.close())

const beach = 'We are going to the beach with the kids tomorrow.'
const sea = "Tomorrow I'm taking my children to the seaside."
const tax = 'The tax office has not answered my letter yet.'
const texts = [beach, sea, tax, 'ok', '漢字 😀', '\ud800']

function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return (a ?? new Float32Array()).reduce((sum, x, n) => sum + x * (b?.[n] ?? 0), 0)
}

function bitsOf(vectors: readonly Float32Array[]): string[] {
  return vectors.map((vector) => createHash('sha256').update(vector).digest('hex'))
}

test('two sentences with one meaning are nearer than two with different ones', async () => {
  const [a, b, c] = await embedder.embed([beach, sea, tax])
  assert.ok(dot(a, b) > dot(a, c) + 0.2, `${dot(a, b)} and ${dot(a, c)}`)
  assert.equal(a?.length, embedder.vectorSpace.dimensions)
  assert.ok(Math.abs(dot(a, a) - 1) < 1e-6)
})

test('one at a time, a text has the same bits in any order, with two threads, and in another process', async () => {
  const bits = bitsOf(await embedder.embed(texts))
  assert.deepEqual(bitsOf(await embedder.embed(texts.toReversed())).toReversed(), bits)

  const two = useLite({ threads: 2 })
  assert.deepEqual(bitsOf(await two.embed(texts)), bits)
  await two.close()

  const elsewhere = await inAnotherProcess(`
    const embedder = useLite({ threads: 2 })
    const vectors = await embedder.embed(${JSON.stringify(texts.slice(1, 4))})
    await embedder.close()
    console.log(vectors.map((vector) => createHash('sha256').update(vector).digest('hex')).join(' '))
  `)
  assert.deepEqual(elsewhere.trim().split(' '), bits.slice(1, 4))
})

test('in batches, texts keep their order, and their vectors to six digits', async () => {
  const mixed = Array.from({ length: 40 }, (_, n) => `${'word '.repeat(n % 7)}number ${n}`)
  const [single, batched] = [await embedder.embed(mixed), await embedder.embed(mixed, { shape: 'batched' })]
  for (const [at, vector] of batched.entries()) assert.ok(Math.abs(dot(vector, single[at]) - 1) < 1e-5, `text ${at}`)
})

test('the empty text has the zero vector, and changes no other vector', async () => {
  const [empty, blank, full] = await embedder.embed(['', '  \n', beach])
  assert.ok(empty?.every((component) => component === 0))
  assert.ok(blank?.every((component) => component === 0))
  assert.deepEqual(full, (await embedder.embed([beach]))[0])
  assert.deepEqual(await embedder.embed([]), [])
})

test('a text of 100 KB is read up to the limit, and costs no more than its beginning', async () => {
  const long = `${'the quick brown fox jumps over the lazy dog and '.repeat(2_100)}`
  const beginning = long.slice(0, 5_000)
  const [expected] = await embedder.embed([beginning])
  const before = await cpuTimeOf(() => embedder.embed([beginning]))
  let whole: readonly Float32Array[] = []
  const after = await cpuTimeOf(async () => (whole = await embedder.embed([long])))
  // Without the limit it would be twenty times as much.
  assert.ok(after < 5 * before, `${after} µs, and ${before} µs for the beginning`)
  assert.deepEqual(whole[0], expected)
  const [noSpaces] = await embedder.embed(['x'.repeat(100_000)])
  assert.ok(Math.abs(dot(noSpaces, noSpaces) - 1) < 1e-6)
})

/** Of all threads, so it doesn't depend on the load of the machine. */
async function cpuTimeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

test('the weights come from the package, without a connection', async (t) => {
  const connect = t.mock.method(Socket.prototype, 'connect', () => assert.fail('a connection'))
  const model = await loadUseLite()
  assert.equal((await model.embed(['hello']))[0]?.length, 512)
  assert.equal(connect.mock.callCount(), 0)
})

test('an unclosed embedder does not keep the process alive, and a signal stops waiting calls', async () => {
  const output = await inAnotherProcess(`
    const embedder = useLite()
    const stop = new AbortController()
    const work = embedder.embed(Array.from({ length: 5_000 }, (_, n) => 'text ' + n), { signal: stop.signal })
    setTimeout(() => stop.abort(new Error('enough')), 100)
    console.log(await work.catch((error) => error.message))
  `)
  assert.equal(output.trim(), 'enough')
})

async function inAnotherProcess(body: string): Promise<string> {
  const start = `
    import { createHash } from 'node:crypto'
    import { useLite } from ${JSON.stringify(new URL('./use-lite.ts', import.meta.url).href)}
  `
  const flags = ['--input-type=module', '--eval', start + body]
  const { stdout } = await promisify(execFile)(process.execPath, flags, { timeout: 120_000 })
  return stdout
}
