/** The refusal of a position that a partition has not reached: the same words in every adapter. */
import { LoomlogError } from '@loomlog/errors'

export interface BeyondEnd {
  readonly topic: string
  readonly partition: number
  /** The requested offset. */
  readonly next: number
  /** The end offset of the partition. */
  readonly end: number
}

export function beyondEnd({ topic, partition, next, end }: BeyondEnd): LoomlogError {
  return new LoomlogError(
    'log-replaced',
    `${topic}/${partition} ends at ${end}, and this reader has read up to ${next}: the log was replaced, or restored from an older ` +
      'copy. Restore the log that had those records, or restart loomlog: it then derives again from this log',
  )
}
