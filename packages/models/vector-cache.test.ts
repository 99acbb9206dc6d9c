import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { VectorCache, type VectorCacheOptions } from './vector-cache.ts'

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-vectors-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}

function open(t: TestContext, dir: string, options: Partial<VectorCacheOptions> = {}): VectorCache {
  const cache = new VectorCache({ dir, vectorSpace: 'toy-4', maxBytes: 1_000_000, ...options })
  t.after(() => cache.close())
  return cache
}

const vector = (first: number) => Float32Array.of(first, 0.1, 0, -0.3)

test('a vector that was kept is found again by another process, bit for bit', async (t) => {
  const dir = await folder(t)
  const first = open(t, dir)
  const second = open(t, dir)
  first.keep('acme/home', new Map([['I sail.', vector(0.7)]]))
  assert.deepEqual([...second.find('acme/home', ['I sail.', 'I row.'])], [['I sail.', vector(0.7)]])
})

test('vectors of other spaces, of memory or of vectors, are never found', async (t) => {
  const dir = await folder(t)
  open(t, dir).keep('acme/home', new Map([['I sail.', vector(0.7)]]))
  assert.equal(open(t, dir).find('acme/work', ['I sail.']).size, 0)
  assert.equal(open(t, dir, { vectorSpace: 'other-4' }).find('acme/home', ['I sail.']).size, 0)
})

test('of a text that is kept twice, the first vector stays', async (t) => {
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

test('no file of it holds a text', async (t) => {
  const dir = await folder(t)
  open(t, dir).keep('acme/home', new Map([['a canary sings', vector(1)]]))
  for (const name of await readdir(dir)) assert.ok(!(await readFile(join(dir, name))).includes('canary'), name)
})

test('a file that is no cache is refused, and the message says that it may be deleted', async (t) => {
  const dir = await folder(t)
  await writeFile(join(dir, 'vectors.db'), 'x'.repeat(5_000))
  assert.throws(
    () => open(t, dir),
    (error) => isLoomlogError(error, 'log-unavailable') && error.message.includes('may be deleted'),
  )
})
