/** For tests: a gateway on a log of its own, without stages and views. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAccess } from '@loomlog/access/caller'
import { openSqliteLog } from '@loomlog/log/sqlite'
import type { Embedder } from '@loomlog/models/embedder'
import { RecallRecorder } from '@loomlog/recall/recall-recorder'
import { Codec } from '@loomlog/schemas/codec'
import { memoryStore } from '@loomlog/views/in-memory'
import { ViewReader } from '@loomlog/views/reader'
import pino from 'pino'
import { applicationWithoutStages } from './application-without-stages.ts'
import { createGateway } from './gateway.ts'
import type { GatewayOptions } from './gateway-options.ts'

/** Two dimensions that mean nothing. */
export const embedder: Embedder = {
  vectorSpace: { name: 'toy-2', dimensions: 2 },
  embed: async (texts) => texts.map((text) => Float32Array.of(text.length % 2, 1)),
  close: async () => {},
}

export async function temporaryGateway(
  t: { after(close: () => unknown): void; diagnostic(text: string): void },
  options: Partial<GatewayOptions> = {},
) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-gateway-'))
  const log = openSqliteLog({ dir })
  for (const name of ['utterances', 'recalls', 'memory-events', 'keys', 'key-uses', 'webhooks', 'audit'])
    await log.createTopic({ name, partitions: 4, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const sources = new Map([['utterances', 'utterances']] as const)
  const views = new ViewReader({ store: memoryStore(), vectorSpace: embedder.vectorSpace, partitions: 4, sources })
  const recalls = new RecallRecorder({ log, codec, onDropped: (_, why) => t.diagnostic(why) })
  const app = createGateway({
    log,
    codec,
    dir,
    limits: {},
    webhookKey: null,
    webhookNetworks: [],
    partitions: 4,
    hostNames: [],
    reading: async () => ({ generation: 'g1', epoch: 0, views, embedder }),
    logger: pino({ level: 'silent' }),
    status: async () => {
      throw new Error('a secret of the server')
    },
    conditions: { current: new Map() },
    onRetryableError: () => {},
    usage: async (tenant) => ({ of: tenant }),
    ...applicationWithoutStages,
    recalls,
    model: null,
    toolModel: null,
    access: openAccess,
    tls: null,
    metrics: null,
    ...options,
  })
  t.after(async () => {
    await app.close()
    await recalls.close()
    await log.close()
    await rm(dir, { recursive: true })
  })
  return { app, log, codec, recalls }
}
