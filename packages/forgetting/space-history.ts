/**
 * The source events of a space with their offsets, split at the markers of forgettings. The first record of an id
 * counts; after a marker every id begins again.
 */

import { partitionOf } from '@loomlog/log/partition'
import type { Log } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { SourceEvent, SubjectForgotten } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'

export interface LogParts {
  readonly log: Log
  readonly codec: Codec
  /** Of the space-keyed topics. */
  readonly partitions: number
}

/** The events between two markers. */
export interface Era {
  /** The marker that begins it; null: the beginning of the log. */
  readonly marker: (Pick<SubjectForgotten, 'forgetting' | 'appendedAt'> & { readonly offset: number }) | null
  readonly events: readonly SourceEvent[]
}

/**
 * Every era, the present one last. Records of the space that can't be decoded are left out.
 * @param space `tenant/space`
 */
export async function readEras(space: string, { log, codec, partitions }: LogParts): Promise<readonly Era[]> {
  let present = { marker: null as Era['marker'], events: new Map<string, SourceEvent>() }
  const eras = [present]
  for await (const records of log.read({
    topic: 'utterances',
    partitions: [partitionOf(space, partitions)],
    until: 'end',
  })) {
    for (const record of records) {
      const event = record.key === space ? ((await codec.decodeOrNull(record.value)) as SourceEvent | null) : null
      if (event === null || spaceKey(event.tenant, event.space) !== space) continue
      if (event.type === 'SubjectForgotten') {
        const { forgetting, appendedAt } = event
        present = { marker: { forgetting, appendedAt, offset: record.offset }, events: new Map() }
        eras.push(present)
      } else if (!present.events.has(event.id)) present.events.set(event.id, event)
    }
  }
  return eras.map(({ marker, events }) => ({ marker, events: [...events.values()] }))
}
