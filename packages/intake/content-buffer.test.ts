import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ContentBuffer } from './content-buffer.ts'
import { ContentFile } from './content-file.ts'

async function opened(t: TestContext): Promise<ContentFile> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-buffer-'))
  const file = new ContentFile({ dir, sealing: null, onRebuild: (message) => assert.fail(message) })
  t.after(async () => {
    file.close()
    await rm(dir, { recursive: true })
  })
  return file
}

const checkpointAt = (offset: number) => new Map([[0, { log: 'a', offset, last: null }]])
const idOf = (n: number) => `default/home/${n}`

test('a block is written in slices, its checkpoint after the last one, and every entry is found at any time', async (t) => {
  const file = await opened(t)
  const buffer = new ContentBuffer()
  const find = (n: number) => file.contentsOf([idOf(n)]).get(idOf(n)) ?? buffer.contentOf(idOf(n))
  let appended = 0
  const append = (entries: number) => {
    for (let n = 0; n < entries; n += 1, appended += 1)
      buffer.add({ id: idOf(appended), content: `content ${appended}`, offset: 0 })
    buffer.writeSlice(file, checkpointAt(appended), entries)
  }
  while (file.contentsOf([idOf(0)]).size === 0) append(256)
  const sealed = appended
  assert.equal(file.checkpoints('complete').size, 0, 'the block is not whole yet')
  while (!file.checkpoints('complete').has(0)) {
    append(256)
    for (const n of [0, 1, sealed - 1, sealed, appended - 1]) assert.equal(find(n), `content ${n}`)
  }
  const { offset = 0 } = file.checkpoints('complete').get(0) ?? {}
  assert.equal(offset, sealed)
  const ids = Array.from({ length: offset }, (_, n) => idOf(n))
  assert.equal(file.contentsOf(ids).size, offset, 'everything below the checkpoint is in the file')
})

test('writing everything leaves nothing in memory, and the first content of an id stays', async (t) => {
  const file = await opened(t)
  const buffer = new ContentBuffer()
  for (const content of ['first', 'second']) buffer.add({ id: idOf(1), content, offset: 0 })
  buffer.writeAll(file, checkpointAt(2))
  assert.deepEqual([...file.contentsOf([idOf(1), idOf(2)])], [[idOf(1), 'first']])
  assert.equal(buffer.contentOf(idOf(1)), null)
  buffer.add({ id: idOf(1), content: 'third', offset: 0 })
  buffer.writeAll(file, checkpointAt(3))
  assert.equal(file.contentsOf([idOf(1)]).get(idOf(1)), 'first')
  assert.equal(file.checkpoints('complete').get(0)?.offset, 3)
})

test('a slice that the file could not take is written by the next append', async (t) => {
  const file = await opened(t)
  const buffer = new ContentBuffer()
  const ids = Array.from({ length: 10_000 }, (_, n) => idOf(n))
  for (const id of ids) buffer.add({ id, content: `content of ${id}`, offset: 0 })
  const keep = t.mock.method(file, 'insert', () => {
    throw new Error('the disk is full')
  })
  assert.throws(() => buffer.writeSlice(file, checkpointAt(ids.length), 250), /disk is full/)
  keep.mock.restore()
  while (!file.checkpoints('complete').has(0)) buffer.writeSlice(file, checkpointAt(ids.length), 250)
  assert.equal(file.contentsOf(ids).size, ids.length)
})

test('an index that another process has emptied and filled since a checkpoint was read keeps its entries', async (t) => {
  const file = await opened(t)
  const add = (id: string, log: string) => {
    file.setCheckpoints('started', new Map([[0, { log, offset: 1, last: null }]]))
    file.insert([{ id, content: 'content', offset: 0 }])
  }
  add(idOf(1), 'old')
  const [old] = file.checkpoints('started').values()
  assert.ok(old)
  assert.equal(file.clear(0, old), true)
  assert.equal(file.contentsOf([idOf(1)]).size, 0)
  assert.equal(file.checkpoints('started').size, 0)
  add(idOf(2), 'new')
  assert.equal(file.clear(0, old), false)
  assert.equal(file.contentsOf([idOf(2)]).size, 1)
  assert.equal(file.checkpoints('started').get(0)?.log, 'new')
})
