import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { testSealing } from '@loomlog/log/sealing-fixture'
import { VectorCache, type VectorCacheOptions } from './vector-cache.ts'

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-vectors-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}

function open(t: TestContext, dir: string, options: Partial<VectorCacheOptions> = {}): VectorCache {
  const cache = new VectorCache({
    dir,
    sealing: null,
    vectorSpace: 'toy-4',
    maxBytes: 1_000_000,
    onRebuild: () => {},
    ...options,
  })
  t.after(() => cache.close())
  return cache
}

const vector = (first: number) => Float32Array.of(first, 0.1, 0, -0.3)

test('another process finds a stored vector, bit for bit', async (t) => {
  const dir = await folder(t)
  const first = open(t, dir)
  const second = open(t, dir)
  first.keep('acme/home', new Map([['I sail.', vector(0.7)]]))
  assert.deepEqual([...second.find('acme/home', ['I sail.', 'I row.'])], [['I sail.', vector(0.7)]])
})

test('vectors of other memory spaces or vector spaces are never found', async (t) => {
  const dir = await folder(t)
  open(t, dir).keep('acme/home', new Map([['I sail.', vector(0.7)]]))
  assert.equal(open(t, dir).find('acme/work', ['I sail.']).size, 0)
  assert.equal(open(t, dir, { vectorSpace: 'other-4' }).find('acme/home', ['I sail.']).size, 0)
})

test('when a text is stored twice, its first vector stays', async (t) => {
  const cache = open(t, await folder(t))
  for (const first of [0.7, 0.2]) cache.keep('acme/home', new Map([['I sail.', vector(first)]]))
  assert.deepEqual(cache.find('acme/home', ['I sail.']).get('I sail.'), vector(0.7))
})

test('when the file is full the oldest vectors make room', async (t) => {
  const maxBytes = 100_000
  const cache = open(t, await folder(t), { maxBytes })
  const texts = Array.from({ length: 2_000 }, (_, index) => `text ${index}`)
  for (const text of texts) cache.keep('acme/home', new Map([[text, vector(1)]]))
  const found = [...cache.find('acme/home', texts).keys()]
  assert.ok(found.length > 100 && found.length < 1_500, `${found.length} are left`)
  assert.deepEqual(found, texts.slice(-found.length))
})

test('no file of the cache holds a text', async (t) => {
  const dir = await folder(t)
  open(t, dir).keep('acme/home', new Map([['a canary sings', vector(1)]]))
  for (const name of await readdir(dir)) assert.ok(!(await readFile(join(dir, name))).includes('canary'), name)
})

test('a file of garbage is deleted and rebuilt, with a message', async (t) => {
  const dir = await folder(t)
  await writeFile(join(dir, 'vectors.db'), 'x'.repeat(5_000))
  const rebuilds: string[] = []
  const cache = open(t, dir, { onRebuild: (message) => rebuilds.push(message) })
  cache.keep('acme/home', new Map([['I sail.', vector(0.7)]]))
  assert.deepEqual(cache.find('acme/home', ['I sail.']).get('I sail.'), vector(0.7))
  assert.match(rebuilds.join(), /vectors.db is damaged .*rebuilt/)
})

test('a vector with a flipped bit is missing, and can be stored again', async (t) => {
  const dir = await folder(t)
  const cache = open(t, dir)
  cache.keep('acme/home', new Map([['I sail.', vector(0.7)]]))
  const other = new DatabaseSync(join(dir, 'vectors.db'))
  other.exec(`update vectors set vector = x'${'00'.repeat(16)}'`)
  other.close()
  assert.equal(cache.find('acme/home', ['I sail.']).size, 0)
  cache.keep('acme/home', new Map([['I sail.', vector(0.7)]]))
  assert.deepEqual(cache.find('acme/home', ['I sail.']).get('I sail.'), vector(0.7))
})

test('beside an encrypted log no file shows a vector, and a plain hash of a text finds nothing', async (t) => {
  const dir = await folder(t)
  const sealing = testSealing()
  const cache = open(t, dir, { sealing })
  await cache.keep('acme/home', new Map([['I sail.', vector(0.7)]]))
  assert.deepEqual(cache.find('acme/home', ['I sail.']).get('I sail.'), vector(0.7))
  const bytes = Buffer.concat(await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name)))))
  assert.ok(!bytes.includes(Buffer.from(vector(0.7).buffer)))
  assert.ok(!bytes.includes(hash('sha256', 'I sail.', 'buffer')))
  await sealing.rotate('acme/home')
  await sealing.destroyRetired('acme/home')
  assert.equal(cache.find('acme/home', ['I sail.']).size, 0)
  await cache.keep('acme/home', new Map([['I sail.', vector(0.2)]]))
  assert.deepEqual(cache.find('acme/home', ['I sail.']).get('I sail.'), vector(0.2))
})

test('the vectors of a forgotten space leave the file and its write-ahead log, and no other ones do', async (t) => {
  const dir = await folder(t)
  const cache = open(t, dir)
  const forgotten = Float32Array.from({ length: 64 }, (_, at) => Math.sin(at))
  await cache.keep('acme/home', new Map([['I sail.', forgotten]]))
  await cache.keep('acme/work', new Map([['I row.', vector(0.7)]]))
  const isFound = async () => {
    const files = await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name))))
    return files.some((bytes) => bytes.includes(Buffer.from(forgotten.buffer)))
  }
  assert.ok(await isFound())
  cache.forget('acme/home')
  assert.ok(!(await isFound()))
  assert.equal(cache.find('acme/home', ['I sail.']).size, 0)
  assert.equal(cache.find('acme/work', ['I row.']).size, 1)
})
