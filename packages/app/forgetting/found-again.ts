/** Finds forgotten utterances that are in the log again, by their certificate. */
import { type Certificate, recordHash, saltedId } from '@loomlog/forgetting/certificate'
import type { Host } from '@loomlog/host/open'
import { partitionOf } from '@loomlog/log/partition'
import { spaceKey } from '@loomlog/schemas/ids'

export interface FoundAgain {
  readonly partition: number
  readonly offset: number
  /** The id is a forgotten one, or the whole record is. */
  readonly by: 'id' | 'bytes'
  /** Null: it can't be read. */
  readonly id: string | null
}

/** Records of the log that the certificate says are destroyed: put back from a backup, or appended again. */
export async function foundAgain(
  { tenant, space: name, ids, hashes, salt }: Certificate,
  { log, codec, partitions }: Pick<Host, 'log' | 'codec' | 'partitions'>,
): Promise<readonly FoundAgain[]> {
  const [space, forgottenIds, forgottenBytes] = [spaceKey(tenant, name), new Set(ids), new Set(hashes)]
  const found: FoundAgain[] = []
  const partition = partitionOf(space, partitions)
  for await (const records of log.read({ topic: 'utterances', partitions: [partition], until: 'end' })) {
    for (const { key, value, offset } of records) {
      if (key !== space) continue
      const event = await codec.decodeOwn(value)
      const hasId = event !== null && 'id' in event && forgottenIds.has(saltedId(event.id, salt))
      if (!hasId && !forgottenBytes.has(recordHash(value))) continue
      found.push({
        partition,
        offset,
        by: hasId ? 'id' : 'bytes',
        id: event !== null && 'id' in event ? event.id : null,
      })
    }
  }
  return found
}
