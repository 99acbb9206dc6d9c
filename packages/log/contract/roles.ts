/**
 * The roles of processes in the contract's tests: their work on a log, and the messages that they send. A child plays a
 * role until it is killed or stopped; the test itself plays one to the end.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import type { Lease, Log, LogRecord } from '../port.ts'
import { text, textRecord, untilAborted } from './records.ts'

/** Appends `writer:0`, `writer:1`… one at a time under the key `writer`, and reports each acknowledgement. */
interface Writer {
  readonly kind: 'writer'
  readonly topic: string
  readonly writer: string
  readonly count: number
}

/** Copies its partitions of `topic` to `out`, counting in state; done when it has committed `count` records. */
interface Copier {
  readonly kind: 'copier'
  readonly group: string
  readonly topic: string
  readonly out: string
  readonly sessionMs: number
  readonly count: number
}

/** Polls one batch of a partition, reports it, and commits a copy of it to `out` only on a message. */
interface Holder {
  readonly kind: 'holder'
  readonly group: string
  readonly topic: string
  readonly out: string
  readonly sessionMs: number
}

export type Role = Writer | Copier | Holder

export type ChildMessage =
  | { readonly kind: 'acknowledged'; readonly value: string }
  | { readonly kind: 'took'; readonly partition: number; readonly epoch: number }
  | { readonly kind: 'polled'; readonly partition: number }
  | { readonly kind: 'committed'; readonly partition: number; readonly position: number }
  | { readonly kind: 'refused'; readonly partition: number; readonly code: string }

export interface Stage {
  readonly log: Log
  readonly send: (message: ChildMessage) => void
  /** Resolves when the holder may commit. */
  readonly mayCommit: Promise<void>
}

export function playRole(role: Role, stage: Stage): Promise<void> {
  switch (role.kind) {
    case 'writer':
      return write(role, stage)
    case 'copier':
      return copy(role, stage)
    case 'holder':
      return hold(role, stage)
  }
}

async function write(role: Writer, { log, send }: Stage): Promise<void> {
  for (let n = 0; n < role.count; n++) {
    const value = `${role.writer}:${n}`
    await log.append(role.topic, [textRecord(role.writer, value)])
    send({ kind: 'acknowledged', value })
    // The lock goes to the first process that tries: a writer without a pause would keep the others out.
    await pause(1)
  }
}

async function copy(role: Copier, { log, send }: Stage): Promise<void> {
  const done = Promise.withResolvers<void>()
  let committed = 0
  const membership = await log.join({
    ...role,
    async onLease(lease) {
      send({ kind: 'took', partition: lease.partition, epoch: lease.epoch })
      while (!lease.signal.aborted) {
        const records = await lease.poll({ maxRecords: 3, maxWaitMs: 100 })
        const position = await commitCopy(lease, role.out, records)
        if (position === null) continue
        send({ kind: 'committed', partition: lease.partition, position })
        committed += records.length
        if (committed >= role.count) done.resolve()
      }
    },
    onError(error) {
      // A process that lost the partition meanwhile gets this error; another one finishes the work.
      if (!isLoomlogError(error, 'fenced')) done.reject(error)
    },
  })
  await done.promise
  await membership.close()
}

async function hold(role: Holder, { log, send, mayCommit }: Stage): Promise<void> {
  const done = Promise.withResolvers<void>()
  const membership = await log.join({
    ...role,
    async onLease(lease) {
      const { partition } = lease
      const records = await lease.poll({ maxRecords: 100, maxWaitMs: 60_000 })
      send({ kind: 'polled', partition })
      await mayCommit
      try {
        const position = await commitCopy(lease, role.out, records)
        send({ kind: 'committed', partition, position: position ?? 0 })
      } catch (error) {
        send({ kind: 'refused', partition, code: isLoomlogError(error) ? error.code : String(error) })
      }
      done.resolve()
      await untilAborted(lease.signal)
    },
    onError: done.reject,
  })
  await done.promise
  await membership.close()
}

/** Outputs, the count of all records so far, and the position after them, in one commit; null if there is nothing. */
export async function commitCopy(lease: Lease, out: string, records: readonly LogRecord[]): Promise<number | null> {
  const last = records.at(-1)
  if (!last) return null
  const position = last.offset + 1
  const count = countOf(lease) + records.length
  await lease.commit({
    outputs: records.map((record) => ({ topic: out, record: textRecord(record.key, text(record), record.partition) })),
    state: [{ key: 'count', value: Buffer.from(String(count)) }],
    position,
  })
  return position
}

/** The number of records of the partition that were ever copied. */
export function countOf(lease: Lease): number {
  const value = lease.state.get('count')
  return value === null ? 0 : Number(Buffer.from(value).toString())
}
