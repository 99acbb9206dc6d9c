import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Sample, soakVerdict } from './soak.ts'

const end = { failures: {}, ended: [], warmAfter: 0 }

function samples(heapMb: (n: number) => number | null): readonly Sample[] {
  return Array.from({ length: 12 }, (_, n) => {
    const heap = heapMb(n)
    const inside = heap === null ? null : { heapMb: heap, externalMb: 1, spaceCacheMb: 1 }
    return { atSeconds: n, rssMb: 200, inside, openFiles: 10, kinds: {} }
  })
}

test('a soak is kept only with a flat heap that was sampled', () => {
  assert.ok(
    soakVerdict(
      samples(() => 100),
      end,
    ).isKept,
  )
  assert.equal(
    soakVerdict(
      samples((n) => 100 + 20 * n),
      end,
    ).isKept,
    false,
  )
  assert.equal(
    soakVerdict(
      samples(() => null),
      end,
    ).isKept,
    false,
  )
})
