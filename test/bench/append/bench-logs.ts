/**
 * The logs of the comparison, all of one kind: one for the intake and one for the gateway, so that neither reads the
 * other's records, and a place for the bare loop.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testingCluster } from '@loomlog/kafka-local/testing-cluster'
import { openKafkaLog } from '@loomlog/log/kafka'
import type { Log } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import type { Codec } from '@loomlog/schemas/codec'
import { type BareLoop, producerSide, sqliteSide } from './floors/bare-loop.ts'

export const partitions = 4

export interface BenchLog {
  readonly log: Log
  /** For local files. */
  readonly dir: string
}

export interface BenchLogs {
  readonly intake: BenchLog
  readonly gateway: BenchLog
  bare(codec: Codec): Promise<BareLoop>
  close(): Promise<void>
}

export async function onSqlite(): Promise<BenchLogs> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-bench-'))
  const place = (name: string): BenchLog => ({ log: openSqliteLog({ dir: join(dir, name) }), dir: join(dir, name) })
  const [intake, gateway] = [place('intake'), place('gateway')]
  return {
    intake,
    gateway,
    bare: async (codec) => sqliteSide(dir, partitions, codec),
    async close() {
      for (const { log } of [intake, gateway]) await log.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export async function onKafka(): Promise<BenchLogs> {
  const { options, stop } = await testingCluster()
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-bench-'))
  const place = async (name: string): Promise<BenchLog> => {
    const log = await openKafkaLog({ ...options, environment: `${options.environment}-${name}` })
    return { log, dir: join(dir, name) }
  }
  const [intake, gateway] = [await place('intake'), await place('gateway')]
  await intake.log.createTopic({ name: 'bare', partitions, retentionMs: null })
  return {
    intake,
    gateway,
    bare: (codec) => producerSide(options.brokers, `${options.environment}-intake.bare`, partitions, codec),
    async close() {
      for (const { log } of [intake, gateway]) await log.close()
      await stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
