/**
 * The parts of a process that derives one generation alone, beside servers on the same log.
 *
 * Parts that a live generation shares are left to the servers that hold them. Joining their groups would move live
 * partitions to this process and back, and if it were killed, they would stand still for a session. This process runs
 * them only while no server does:
 * 1. It joins a group that had no owner for a whole session, so a server that restarts finds its partitions free.
 * 2. It leaves a group that has another owner too.
 */
import type { HostedPartsOf } from '@loomlog/host/hosting'
import { liveGroups } from '@loomlog/host/live-groups'
import type { Host } from '@loomlog/host/open'

/** Where `LOOMLOG_SESSION_MS` is not set: the longest default of a log. */
const defaultSessionMs = 10_000

type AloneHost = Pick<Host, 'tables' | 'topics'> & {
  readonly log: Pick<Host['log'], 'groups'>
  readonly config: Pick<Host['config'], 'session'>
}

/**
 * @param id of the generation
 * @param now a clock in ms that never goes back
 */
export function partsWithoutServer(
  host: AloneHost,
  id: string,
  partsOf: HostedPartsOf,
  now: () => number = () => performance.now(),
): HostedPartsOf {
  const sessionMs = host.config.session.sessionMs ?? defaultSessionMs
  const joined = new Set<string>()
  /** The time at which this process first saw a group without another owner. */
  const freeSince = new Map<string, number>()

  function isOurs(group: string, owners: number): boolean {
    if (joined.has(group) ? owners > 1 : owners > 0) {
      joined.delete(group)
      freeSince.delete(group)
      return false
    }
    const since = freeSince.get(group) ?? now()
    freeSince.set(group, since)
    return joined.has(group) || now() - since >= sessionMs
  }

  return async (known, generation) => {
    if (generation.id !== id) return []
    const parts = await partsOf(known, generation)
    const live = liveGroups(known, host)
    const isShared = parts.some(({ group }) => live.has(group))
    const owners = isShared ? await ownersByGroup(host) : new Map<string, number>()
    const ours = parts.filter(({ group }) => !live.has(group) || isOurs(group, owners.get(group) ?? 0))
    for (const { group } of ours) joined.add(group)
    return ours
  }
}

/** The number of owners of each group's partitions. */
async function ownersByGroup({ log }: AloneHost): Promise<ReadonlyMap<string, number>> {
  const groups = Map.groupBy(await log.groups(), ({ group }) => group)
  return new Map(
    Array.from(groups, ([group, leases]) => [
      group,
      new Set(leases.flatMap(({ owner }) => (owner === null ? [] : [owner]))).size,
    ]),
  )
}
