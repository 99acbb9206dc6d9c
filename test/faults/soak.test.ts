import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sample } from './soak-sample.ts'
import { soakVerdict } from './soak-verdict.ts'

const end = { utterances: 12, failures: {}, ended: [], warmAfterSeconds: 0 }

interface Memory {
  readonly heapMb: number
  readonly rssMb: number
  readonly spaceCacheMb: number
}

/** The memory after n samples; null: the process did not reply. */
function verdict(memory: (n: number) => Partial<Memory> | null) {
  const samples: readonly Sample[] = Array.from({ length: 12 }, (_, n) => {
    const given = memory(n)
    const { heapMb, rssMb, spaceCacheMb } = { heapMb: 100, rssMb: 300, spaceCacheMb: 1, ...given }
    const inside = given === null ? null : { heapMb, heapTotalMb: 120, spaceCacheMb, viewCacheMb: 20 }
    return { atSeconds: n, rssMb, mallocHeapMb: 50, filesMb: 40, inside, openFiles: 10, kinds: {} }
  })
  return soakVerdict(samples, end)
}

test('a soak is kept with flat memory and metrics of the process, and not without them', () => {
  assert.ok(verdict(() => ({})).isKept)
  assert.equal(verdict(() => null).isKept, false)
})

test('a growing heap and growing resident memory break the promise, each by itself', () => {
  assert.equal(verdict((n) => ({ heapMb: 100 + 20 * n })).isKept, false)
  assert.equal(verdict((n) => ({ rssMb: 300 + 20 * n })).isKept, false)
})

test("the growth of a cache is shown as the cache's share, and breaks no promise", () => {
  const grown = verdict((n) => ({ heapMb: 100 + 20 * n, rssMb: 300 + 20 * n, spaceCacheMb: 20 * n }))
  assert.ok(grown.isKept)
  const { cachesMb, restMb } = grown.details as { cachesMb: object; restMb: object }
  assert.deepEqual(
    [cachesMb, restMb],
    [
      { first: 40, last: 220 },
      { first: 280, last: 280 },
    ],
  )
})
