/**
 * The continuity of a lease's input. A lease stores a checkpoint of its input. The next owner of the partition compares
 * the checkpoint with the log before it processes anything.
 */
import { LoomlogError } from '@loomlog/errors'
import { type Checkpoint, checkpointAfter, continuityOf } from '../checkpoint.ts'
import type { Log, LogRecord } from '../port.ts'
import type { TopicReader } from './topic-reader.ts'

/** Limit of the checkpoints of uncommitted records. A reader that never commits keeps the oldest ones. */
const maxWaiting = 64

export class InputCheckpoints {
  readonly #log: string
  #committed: Checkpoint
  readonly #waiting: Checkpoint[] = []

  constructor(committed: Checkpoint) {
    this.#log = committed.log
    this.#committed = committed
  }

  /** Takes the records of one fetch. */
  read(records: readonly LogRecord[]): void {
    const last = records.at(-1)
    if (last && this.#waiting.length < maxWaiting) this.#waiting.push(checkpointAfter(this.#log, last))
  }

  /** The newest checkpoint up to a position. */
  upTo(position: number): Checkpoint {
    while (this.#waiting[0] && this.#waiting[0].offset <= position) {
      this.#committed = this.#waiting.shift() as Checkpoint
    }
    return this.#committed
  }
}

export interface LeaseInput {
  readonly log: Pick<Log, 'identity' | 'endOffsets' | 'read'>
  readonly reader: TopicReader
  readonly group: string
  readonly topic: string
  readonly partition: number
}

/** The checkpoint to resume from. @throws LoomlogError `log-replaced` where the input is not the log that was read */
export async function resumeCheckpoint(input: LeaseInput, before: Checkpoint | undefined): Promise<Checkpoint> {
  const { log, reader, group, topic, partition } = input
  if (!before) return { log: await log.identity(topic), offset: 0, last: null }
  const start = (await reader.startOffsets())[partition] ?? 0
  // Where retention has removed the record, only the identity of the topic is compared.
  const isRemoved = before.last !== null && before.last.offset < start
  const continuity = await continuityOf(log, { topic, partition }, isRemoved ? { ...before, last: null } : before)
  if (continuity.kind === 'continues') return before
  throw new LoomlogError(
    'log-replaced',
    `group ${group} has read another ${topic}/${partition}: ${continuity.reason}. The topic was mirrored, restored or created again. ` +
      'Bring back the topic that was read, or derive from this one in an environment of its own (packages/log/kafka/README.md, Moving)',
  )
}
