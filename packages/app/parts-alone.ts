/**
 * The parts of a process that derives one generation alone, beside servers on the same log.
 *
 * Parts that a live generation shares are left to the servers that hold them. Joining their groups would move live partitions to this process
 * and back, and if it were killed, they would stand still for a session. Where no process holds them, this one runs them too.
 */
import type { PartsOf } from '@loomlog/host/hosting'
import { liveGroups } from '@loomlog/host/live-groups'
import type { Host } from '@loomlog/host/open'

/** @param id of the generation */
export function partsAlone(host: Host, id: string, partsOf: PartsOf): PartsOf {
  const joined = new Set<string>()
  return async (known, generation) => {
    if (generation.id !== id) return []
    const parts = await partsOf(known, generation)
    const live = liveGroups(known, host)
    const isShared = parts.some(({ group }) => live.has(group))
    const held = new Set(isShared ? await heldGroups(host) : [])
    const ours = parts.filter(({ group }) => joined.has(group) || !live.has(group) || !held.has(group))
    for (const { group } of ours) joined.add(group)
    return ours
  }
}

async function heldGroups({ log }: Host): Promise<readonly string[]> {
  return (await log.groups()).filter(({ owner }) => owner !== null).map(({ group }) => group)
}
