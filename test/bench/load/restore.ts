/** The time to take over a partition with much state, with its local copy and without. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KafkaLogOptions, openKafkaLog } from '@loomlog/log/kafka'
import type { Lease } from '@loomlog/log/port'
import type { Cluster } from './world.ts'

export interface Restore {
  readonly keys: number
  /** Time from joining the group to holding the lease. */
  readonly withCopyMs: number
  readonly withoutCopyMs: number
}

const group = 'restoring'
const keysOfACommit = 1_000
const valueBytes = 60

export async function measureRestore(cluster: Cluster, keys: number): Promise<Restore> {
  const stateDirs = await Promise.all(['kept', 'empty'].map((name) => mkdtemp(join(tmpdir(), `loomlog-${name}-`))))
  const [kept = '', empty = ''] = stateDirs
  const options = { ...cluster.options, environment: `${cluster.options.environment}-restore-${keys}` }
  try {
    await withLease({ ...options, stateDir: kept }, async (lease) => {
      for (let at = 0; at < keys; at += keysOfACommit) {
        const state = Array.from({ length: Math.min(keysOfACommit, keys - at) }, (_, index) => ({
          key: `space-${(at + index) % 100}/record-${at + index}`,
          value: Buffer.alloc(valueBytes, at + index),
        }))
        await lease.commit({ outputs: [], state, position: 0 })
      }
    })
    const withCopyMs = await withLease({ ...options, stateDir: kept }, (lease) => complete(lease, keys))
    const withoutCopyMs = await withLease({ ...options, stateDir: empty }, (lease) => complete(lease, keys))
    return { keys, withCopyMs, withoutCopyMs }
  } finally {
    for (const dir of stateDirs) await rm(dir, { recursive: true, force: true })
  }
}

/** @returns the time until the lease, in ms */
async function withLease(options: KafkaLogOptions, work: (lease: Lease) => Promise<void>): Promise<number> {
  const log = await openKafkaLog(options)
  try {
    await log.createTopic({ name: 'in', partitions: 1, retentionMs: null })
    const done = Promise.withResolvers<number>()
    const startedAt = performance.now()
    await log.join({
      group,
      topic: 'in',
      onError: done.reject,
      async onLease(lease) {
        const ms = performance.now() - startedAt
        await work(lease).then(() => done.resolve(ms), done.reject)
        if (!lease.signal.aborted) await new Promise((resolve) => lease.signal.addEventListener('abort', resolve))
      },
    })
    return await done.promise
  } finally {
    await log.close()
  }
}

async function complete(lease: Lease, keys: number): Promise<void> {
  const found = lease.state.range('', keys + 1).length
  if (found !== keys) throw new Error(`${found} of ${keys} keys came back`)
}
