/**
 * A process that runs out of file descriptors, for out-of-files.test.ts: a gateway on a log with one utterance and its
 * view. Prints one line of JSON: for each step, its error or its reply.
 */

import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { openAccess } from '@loomlog/access/caller'
import { isLoomlogError } from '@loomlog/errors'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import { tablesOf, viewId } from '@loomlog/views/catalogue'
import { lanceStore } from '@loomlog/views/lancedb'
import { ViewReader } from '@loomlog/views/reader'
import pino from 'pino'
import { applicationWithoutStages } from './application-without-stages.ts'
import { createGateway } from './gateway.ts'

const [dir = ''] = process.argv.slice(2)
const vectorSpace = { name: 'toy-2', dimensions: 2 }
const log = openSqliteLog({ dir })
await log.createTopic({ name: 'utterances', partitions: 1, retentionMs: null })
const codec = await Codec.open(log.schemas)
const store = lanceStore(join(dir, 'views'))
const sources = new Map([['utterances', 'utterances']] as const)
const views = new ViewReader({ store, vectorSpace, partitions: 1, sources, log })
const embed = async (texts: readonly string[]) => texts.map(() => Float32Array.of(0, 1))
const embedder = { vectorSpace, embed, close: async () => {} }
const app = createGateway({
  log,
  codec,
  dir,
  limits: {},
  webhookKey: null,
  webhookNetworks: [],
  partitions: 1,
  hostNames: [],
  logger: pino({ level: 'silent' }),
  recalls: null,
  model: null,
  access: openAccess,
  tls: null,
  metrics: null,
  toolModel: null,
  status: async () => ({}),
  usage: async () => ({}),
  conditions: { current: new Map() },
  onRetryableError: () => {},
  ...applicationWithoutStages,
  reading: async () => ({ generation: 'g1', epoch: 0, views, embedder }),
})
const payload = { conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: 'A zebra.' }
await app.inject({ method: 'POST', url: '/v1/spaces/home/utterances', payload })
const view = viewId('utterances', vectorSpace.name)
await (await store.write({ view, partition: 0, tables: tablesOf('utterances'), vectorSpace })).close()

const openFiles: number[] = []
const outcomes: { [step: string]: unknown } = {}
outcomes.taking = codeOf(() => {
  for (;;) openFiles.push(openSync('/dev/null', 'r'))
})
outcomes.log = codeOf(() => openSqliteLog({ dir: join(dir, 'another') }))
const full = await app.inject('/v1/spaces/home/recall?query=zebra')
outcomes.recall = [full.statusCode, full.json().type, full.headers['retry-after']]
for (const file of openFiles) closeSync(file)
const free = await app.inject('/v1/spaces/home/recall?query=zebra')
outcomes.afterwards = [free.statusCode, free.json().memories.length, free.json().rebuilding]
console.log(JSON.stringify(outcomes))
process.exit(0)

function codeOf(work: () => unknown): unknown {
  try {
    work()
    return 'no error'
  } catch (error) {
    return isLoomlogError(error) ? `${error.code}: ${error.message}` : (error as NodeJS.ErrnoException).code
  }
}
