import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assignPartitions, type Claimant } from './assignment.ts'

function member(id: string, owned: readonly number[] = [], state: 'staying' | 'leaving' = 'staying'): Claimant {
  return { id, owned, isLeaving: state === 'leaving' }
}

function assigned(members: readonly Claimant[], partitions: number): Record<string, readonly number[]> {
  return Object.fromEntries([...assignPartitions(members, partitions)].sort(([a], [b]) => (a < b ? -1 : 1)))
}

test('new members share the partitions evenly', () => {
  const shares = assigned([member('a'), member('b'), member('c')], 7)
  assert.deepEqual(
    Object.values(shares).map((share) => share.length),
    [3, 2, 2],
  )
  assert.deepEqual(Object.values(shares).flat().sort(), [0, 1, 2, 3, 4, 5, 6])
})

test('a new member gets no partition that another still holds, and the holder keeps its share', () => {
  assert.deepEqual(assigned([member('a', [0, 1, 2, 3]), member('b')], 4), { a: [0, 1], b: [] })
})

test('a released partition goes to the new member, and no other partition moves', () => {
  assert.deepEqual(assigned([member('a', [0, 1]), member('b')], 4), { a: [0, 1], b: [2, 3] })
})

test('members that hold their shares keep them', () => {
  const members = [member('a', [1, 3]), member('b', [0, 2, 4])]
  assert.deepEqual(assigned(members, 5), { a: [1, 3], b: [0, 2, 4] })
})

test('a leaving member gets no partition, and partitions that it still holds wait', () => {
  assert.deepEqual(assigned([member('a', [0, 1], 'leaving'), member('b', [2])], 3), { a: [], b: [2] })
  assert.deepEqual(assigned([member('a', [0], 'leaving')], 1), { a: [] })
})

test('from any distribution, no share is larger than an even one, and every free partition gets one owner', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = lcg(seed)
    const partitions = 1 + random(12)
    const ids = Array.from({ length: 1 + random(5) }, (_, at) => `m${at}`)
    const owner = Array.from({ length: partitions }, () => ids[random(ids.length + 1)])
    const members = ids.map((id) =>
      member(
        id,
        [...owner.keys()].filter((partition) => owner[partition] === id),
      ),
    )
    const given = [...assignPartitions(members, partitions)].flatMap(([id, share]) =>
      share.map((partition) => ({ id, partition })),
    )
    assert.equal(new Set(given.map(({ partition }) => partition)).size, given.length, `seed ${seed}`)
    for (const { id, partition } of given) assert.ok((owner[partition] ?? id) === id, `seed ${seed}`)
    const sizes = members.map(({ id }) => given.filter((one) => one.id === id).length)
    assert.ok(Math.max(...sizes) <= Math.ceil(partitions / ids.length), `seed ${seed}`)
    for (const [partition, id] of owner.entries()) {
      if (id === undefined)
        assert.ok(
          given.some((one) => one.partition === partition),
          `seed ${seed}`,
        )
    }
  }
})

function lcg(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}
