/**
 * A Log whose records and state are encrypted at rest: a decorator of either adapter. Everything above the port reads
 * and writes plain bytes. A record is sealed with a data key of its key, `tenant/space`; one without a key, and state,
 * with a key of the log. Records whose key was destroyed are left out of every read; those that can't be opened for
 * another reason are read as unreadable, and are parked.
 */
import { isLoomlogError } from '@loomlog/errors'
import type { Commit, Lease, Log, LogRecord, NewRecord, Output, ReadOptions } from '../port.ts'
import { checkCommitSize, checkRecordSize } from '../record-size.ts'
import { unreadableValue } from '../unreadable-value.ts'
import { framed, sealedSchema, sealedSubject, unframed } from './envelope.ts'
import type { LogKeys } from './log-keys.ts'
import { SealedState } from './state.ts'

export async function sealedLog(log: Log, logKeys: LogKeys): Promise<Log> {
  const schemaId = await log.schemas.register(sealedSubject, sealedSchema, 'BACKWARD_TRANSITIVE')
  const state = new SealedState(logKeys)
  /** Appends of one handle stay in the order of the calls, also where one of them waits for a new key. */
  let keysReady: Promise<unknown> = Promise.resolve()

  /** Headers repeat parts of the value. */
  function sealed({ headers: _, ...record }: NewRecord): NewRecord {
    return { ...record, value: framed(schemaId, logKeys.seal(record.key, record.value)) }
  }

  async function opened(records: readonly LogRecord[]): Promise<readonly LogRecord[]> {
    const found: LogRecord[] = []
    for (const record of records) {
      const value = await openedValue(record)
      if (value !== null) found.push({ ...record, value })
    }
    return found
  }

  async function openedValue({ key, value }: LogRecord): Promise<Uint8Array | null> {
    try {
      const bytes = unframed(schemaId, value)
      if (bytes === null) return unsealed(value)
      const refreshing = logKeys.refreshFor(bytes)
      // No await for a known key: it would cost as much as the decryption.
      if (refreshing !== null) await refreshing
      return logKeys.open(key, bytes)
    } catch (error) {
      if (!isLoomlogError(error, 'input-invalid') && !isLoomlogError(error, 'key-unavailable')) throw error
      return unreadableValue(error.message)
    }
  }

  /** The log's own notice of an unreadable record passes; other plain bytes were written by another program. */
  function unsealed(value: Uint8Array): Uint8Array {
    return value[0] === 0 ? unreadableValue('the record is not encrypted, and the log is') : value
  }

  function sealedLease(lease: Lease): Lease {
    const { topic, partition, epoch, position, signal } = lease
    return {
      topic,
      partition,
      epoch,
      position,
      signal,
      state: state.reader(lease.state),
      poll: (limits) => lease.poll(limits).then(opened),
      seek: (offset) => lease.seek(offset),
      async commit(commit) {
        checkCommitSize(commit)
        await logKeys.ready([null, ...commit.outputs.map(({ record }) => record.key)])
        await lease.commit(sealedCommit(commit))
      },
    }
  }

  function sealedCommit({ outputs, state: changes, position }: Commit): Commit {
    const written = outputs.map(({ topic, record }): Output => ({ topic, record: sealed(record) }))
    return { outputs: written, state: state.changes(changes), position }
  }

  async function outdated(space: string, topic: string, from: ReadonlyMap<number, number>) {
    const found: LogRecord[] = []
    for await (const batch of log.read({ topic, from, partitions: [...from.keys()], until: 'end' })) {
      const retired = batch.filter(({ key, value }) => {
        const bytes = key === space ? unframed(schemaId, value) : null
        return bytes !== null && !logKeys.isNewest(space, bytes)
      })
      found.push(...(await opened(retired)))
    }
    return found
  }

  async function* read(options: ReadOptions) {
    for await (const batch of log.read(options)) {
      const records = await opened(batch)
      if (records.length > 0) yield records
    }
  }

  return {
    ...log,
    sealing: {
      ready: (spaces) => logKeys.ready(spaces),
      seal: (space, plain) => logKeys.seal(space, plain),
      open: (space, bytes) => logKeys.open(space, bytes),
      name: (text) => logKeys.name(text),
      rotate: (space) => logKeys.rotate(space),
      destroyRetired: (space) => logKeys.destroyRetired(space),
      refreshFor: (bytes) => logKeys.refreshFor(bytes),
      outdated,
    },
    async append(topic, records) {
      for (const record of records) checkRecordSize(topic, record)
      const ready = keysReady.then(() => logKeys.ready(records.map(({ key }) => key)))
      keysReady = ready.catch(() => {})
      await ready
      return log.append(topic, records.map(sealed))
    },
    read,
    join: ({ onLease, ...options }) =>
      log.join({
        ...options,
        async onLease(lease) {
          // State is read without waiting, so the keys of other processes are read first.
          await logKeys.ready([null])
          await onLease(sealedLease(lease))
        },
      }),
  }
}
