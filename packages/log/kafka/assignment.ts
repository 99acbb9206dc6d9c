/**
 * Assigns partitions to members: evenly, with few moves, and never while another member holds the partition. A
 * partition that is to move stays unassigned while its owner holds it. The owner stops its handler and joins again
 * without it; then it is free.
 */

export interface Claimant {
  readonly id: string
  /** The partitions that it holds or is still giving up. */
  readonly owned: readonly number[]
  /** A leaving member gets no partitions. */
  readonly isLeaving: boolean
}

export function assignPartitions(
  members: readonly Claimant[],
  partitions: number,
): ReadonlyMap<string, readonly number[]> {
  const target = shares(members, partitions)
  const owners = new Map(members.flatMap(({ id, owned }) => owned.map((partition) => [partition, id] as const)))
  return new Map(
    members.map(({ id }) => {
      const share = target.get(id) ?? []
      return [id, share.filter((partition) => (owners.get(partition) ?? id) === id)] as const
    }),
  )
}

function shares(members: readonly Claimant[], partitions: number): ReadonlyMap<string, readonly number[]> {
  const staying = members.filter(({ isLeaving }) => !isLeaving).sort((a, b) => (a.id < b.id ? -1 : 1))
  if (staying.length === 0) return new Map()
  const least = Math.floor(partitions / staying.length)
  let larger = partitions % staying.length
  const free = new Set(Array.from({ length: partitions }, (_, partition) => partition))
  const target = new Map<string, number[]>()
  // Members with many partitions choose first: a larger share saves them a move.
  for (const { id, owned } of staying.toSorted((a, b) => b.owned.length - a.owned.length)) {
    const size = owned.length > least && larger-- > 0 ? least + 1 : least
    const kept = owned.filter((partition) => free.has(partition)).slice(0, size)
    for (const partition of kept) free.delete(partition)
    target.set(id, kept)
  }
  for (const partition of [...free].sort((a, b) => a - b)) {
    const smallest = [...target.values()].reduce((a, b) => (b.length < a.length ? b : a))
    smallest.push(partition)
  }
  return target
}
