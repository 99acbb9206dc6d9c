/** Compares an import with the log before it appends anything: the events that the log has, and those that conflict. */
import type { LoomlogError } from '@loomlog/errors'
import { ContentIndex, type ContentIndexOptions } from '../content-index.ts'
import { isConflict, toKeyedEvent } from '../duplicates.ts'
import type { ImportBatch } from './batches.ts'
import { type Conflict, conflictErrors } from './conflicts.ts'
import { openGivenIds } from './given-ids.ts'
import { type ImportPlan, maxFaults } from './plan.ts'

export interface LogComparison {
  /** Events that the log has, with the same content, or that an earlier one of the file is. */
  readonly known: number
  /** The first conflicts, with their places in the file. */
  readonly conflicts: readonly LoomlogError[]
  readonly conflictCount: number
}

export async function compareWithLog(
  batches: AsyncIterable<ImportBatch>,
  { repeated }: Pick<ImportPlan, 'repeated'>,
  options: ContentIndexOptions,
): Promise<LogComparison> {
  const index = new ContentIndex(options)
  const ids = repeated > 0 ? openGivenIds() : null
  const isRepeated = (key: string) => ids !== null && ids.firstOf(key, { content: '', where: '' }) !== null
  const conflicts: Conflict[] = []
  let [known, conflictCount] = [0, 0]
  try {
    for await (const { events, where } of batches) {
      const keyed = events.map((event) => ({ ...toKeyedEvent(event), place: where.get(event) }))
      await index.catchUp(new Set(keyed.map(({ space }) => space)))
      const contents = index.contentsOf(keyed.map(({ key }) => key))
      for (const each of keyed) {
        const { event, key, place } = each
        const before = contents.get(key)
        if (before !== undefined && isConflict(event, { before, content: index.contentOf(each) })) {
          conflictCount += 1
          if (conflicts.length < maxFaults) conflicts.push({ event, place })
        } else if (before !== undefined || isRepeated(key)) known += 1
      }
    }
    return { known, conflicts: await conflictErrors(conflicts, options), conflictCount }
  } finally {
    index.close()
    ids?.close()
  }
}
