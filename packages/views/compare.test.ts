import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalJson } from '@loomlog/schemas/ids'
import { compareDumps, type Difference } from './compare.ts'

async function compare(found: readonly string[], expected: readonly string[]): Promise<readonly Difference[]> {
  const all: Difference[] = []
  for await (const each of compareDumps(lines(found), lines(expected))) all.push(each)
  return all
}

async function* lines(all: readonly string[]): AsyncGenerator<string> {
  yield* all
}

const row = (id: string, text = 'same', space = 'acme/home') => canonicalJson({ id, space, text })

test('equal dumps have no difference, however long', async () => {
  const all = Array.from({ length: 100 }, (_, index) => row(String(index).padStart(3, '0')))
  assert.deepEqual(await compare(all, all), [])
  assert.deepEqual(await compare([], []), [])
})

test('missing, unexpected and different rows are named, and the rows around them match', async () => {
  const found = await compare(
    [row('a'), row('b'), row('d', 'other'), row('e')],
    [row('a'), row('c'), row('d'), row('e'), row('a', 'same', 'acme/work')],
  )
  const home = { space: 'acme/home', fields: [] }
  assert.deepEqual(found, [
    { id: 'b', what: 'unexpected', ...home },
    { id: 'c', what: 'missing', ...home },
    { id: 'd', what: 'differs', ...home, fields: ['text'] },
    { id: 'a', what: 'missing', space: 'acme/work', fields: [] },
  ])
})
