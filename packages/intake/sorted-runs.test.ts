import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SortedRuns } from './sorted-runs.ts'

test('rows of several runs leave in the order of their ids, each once', () => {
  const runs = new SortedRuns()
  // 7 and 1,201 have no common factor, so every number below 1,201 comes once.
  const ids = Array.from({ length: 1_201 }, (_, n) => String((n * 7) % 1_201).padStart(4, '0'))
  for (const id of ids) runs.add({ id, content: `of ${id}`, offset: 0 })
  const taken = []
  while (!runs.isEmpty) {
    const rows = runs.take(250)
    assert.ok(rows.length === 250 || runs.isEmpty, 'only the last rows are fewer')
    taken.push(...rows)
  }
  assert.deepEqual(
    taken,
    ids.toSorted().map((id) => ({ id, content: `of ${id}`, offset: 0 })),
  )
  assert.deepEqual(runs.take(1), [])
})
