/**
 * Reading without a group: batches of one partition each, partition after partition in turn, up to the end or on and on. It
 * gives way to the event loop before each batch, since nothing else here would.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { LoomlogError } from '@loomlog/errors'
import { beyondEnd } from '../beyond-end.ts'
import type { LogRecord, ReadOptions } from '../port.ts'
import type { Database } from './database.ts'
import { readRecords } from './records.ts'
import { endOffsets, type Topic, topicNamed } from './topics.ts'
import type { CommitWatch } from './wait.ts'

interface Cursor {
  readonly partition: number
  next: number
  readonly before: number
}

interface Plan {
  readonly topic: Topic
  readonly cursors: readonly Cursor[]
}

const defaultMaxRecords = 1_000

export function readTopic(db: Database, watch: CommitWatch, options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
  const plan = planned(db, options)
  return batches(db, watch, options, plan)
}

/** Where to start and stop is settled at the call; a failure is told by the first batch, where it can be caught. */
function planned(db: Database, options: ReadOptions): Plan | Error {
  try {
    const topic = topicNamed(db, options.topic)
    const ends = endOffsets(db, topic)
    const partitions = options.partitions ?? [...ends.keys()]
    const cursors = partitions.map((partition) => {
      const end = ends[partition]
      if (end === undefined) throw new RangeError(`topic ${topic.name} has no partition ${partition}`)
      const before = options.until === 'end' ? end : Number.MAX_SAFE_INTEGER
      const next = options.from?.get(partition) ?? 0
      if (next > end) throw beyondEnd({ topic: topic.name, partition, next, end })
      return { partition, next, before }
    })
    return { topic, cursors }
  } catch (error) {
    return error as Error
  }
}

async function* batches(
  db: Database,
  watch: CommitWatch,
  options: ReadOptions,
  plan: Plan | Error,
): AsyncGenerator<readonly LogRecord[]> {
  if (plan instanceof Error) throw plan
  const signal = options.signal ?? null
  const maxRecords = options.maxRecords ?? defaultMaxRecords
  for (;;) {
    const since = watch.commits(plan.topic.id)
    let found = 0
    for (const cursor of plan.cursors) {
      await turn()
      if (signal?.aborted) return
      const batch = nextBatch(db, plan.topic, cursor, maxRecords)
      found += batch.length
      if (batch.length > 0) yield batch
      if (signal?.aborted) return
    }
    if (found > 0) continue
    if (options.until === 'end') return
    requireTopic(db, plan.topic)
    await watch.wait(db, { topic: plan.topic.id, since, maxMs: Number.POSITIVE_INFINITY, signal })
  }
}

/** Nothing more will come of a deleted topic, and a follower should hear of it. */
function requireTopic(db: Database, topic: Topic): void {
  if (topicNamed(db, topic.name).id === topic.id) return
  throw new LoomlogError('topic-unknown', `topic ${topic.name} was deleted and created anew while it was followed`)
}

function nextBatch(db: Database, topic: Topic, cursor: Cursor, maxRecords: number): readonly LogRecord[] {
  const { partition, next: from, before } = cursor
  const batch = readRecords(db, topic, { partition, from, before, maxRecords })
  const last = batch.at(-1)
  if (last) cursor.next = last.offset + 1
  return batch
}
