/** Where a space begins in a topic: at its last forgetting, which makes everything before it void. */
import { partitionOf } from '@loomlog/log/partition'
import type { Log } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import { spaceKey } from '@loomlog/schemas/ids'

export interface SpaceInTopic {
  readonly topic: string
  /** `tenant/space` */
  readonly key: string
  readonly partitions: number
}

/** The offset after the last forgetting; 0: there is none. Decodes the records of the space. */
export async function offsetAfterForgetting(
  { log, codec }: { readonly log: Pick<Log, 'read'>; readonly codec: Codec },
  { topic, key, partitions }: SpaceInTopic,
): Promise<number> {
  let after = 0
  for await (const records of log.read({ topic, partitions: [partitionOf(key, partitions)], until: 'end' })) {
    for (const record of records) {
      const event = record.key === key ? await codec.decodeOwn(record.value) : null
      if (event?.type === 'SubjectForgotten' && spaceKey(event.tenant, event.space) === key) after = record.offset + 1
    }
  }
  return after
}
