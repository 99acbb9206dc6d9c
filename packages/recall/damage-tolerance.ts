/**
 * Reads memories although a view may be damaged. A damaged shard is discarded and reads as empty until its writer has
 * made it again; meanwhile the newest utterances are found in the log, and the result names the shards that lack
 * records.
 */
import { isLoomlogError } from '@loomlog/errors'
import { viewTopics } from '@loomlog/views/catalogue'
import type { ViewReader } from '@loomlog/views/reader'
import type { Rebuild } from '@loomlog/views/rebuilds'

/** @param spaces `tenant/space` @throws LoomlogError `view-corrupt` for a shard that stays damaged */
export async function readDespiteDamage<R extends object>(
  spaces: readonly string[],
  views: ViewReader,
  read: () => Promise<R>,
): Promise<R & { readonly rebuilding?: readonly Rebuild[] }> {
  for (let damagedShards = 0; ; damagedShards += 1) {
    try {
      // Rebuilds are listed before and after: a shard may be complete after the read, or the read may find it damaged.
      const before = await views.rebuilds(spaces)
      const result = await read()
      const after = await views.rebuilds(spaces)
      const byShard = new Map([...before, ...after].map((each) => [`${each.topic}/${each.partition}`, each]))
      return byShard.size === 0 ? result : { ...result, rebuilding: [...byShard.values()] }
    } catch (error) {
      // Each attempt finds at most one damaged shard.
      if (!isLoomlogError(error, 'view-corrupt') || damagedShards >= viewTopics(views.tables).length * spaces.length)
        throw error
    }
  }
}
