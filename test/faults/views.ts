/** The canonical dump of all views in a folder: the rows of each table, without their positions in the log. */
import { join } from 'node:path'
import { isLoomlogError } from '@loomlog/errors'
import { configFrom } from '@loomlog/host/config'
import { openLog } from '@loomlog/host/open-log'
import { tablesOf, viewId, viewTopics } from '@loomlog/views/catalogue'
import { dumpTable } from '@loomlog/views/dump'
import { lanceStore } from '@loomlog/views/lancedb'
import type { ViewStore } from '@loomlog/views/port'
import type { Environment } from '../pipeline/loomlog.ts'

/** The part of `GET /v1/status` about views and progress. */
export interface Status {
  readonly embedder: string
  readonly stages: readonly { readonly name: string; readonly lag: number }[]
  readonly views: readonly { readonly name: string; readonly topic: string; readonly lag: number }[]
}

export async function viewDump(folder: string, environment: Environment, status: Status): Promise<readonly string[]> {
  const config = configFrom({ ...environment, LOOMLOG_DIR: folder })
  const { dir, partitions, embedders } = config
  const vectorSpace = embedders.find((each) => each.vectorSpace.name === status.embedder)?.vectorSpace
  if (!vectorSpace) throw new Error(`the views of the flow are of ${status.embedder}, which its settings don't name`)
  const log = await openLog(config, 'read')
  const store = lanceStore(join(dir, 'views'), () => {}, log.sealing)
  const lines: string[] = []
  for (const { name: topic } of viewTopics()) {
    const source = status.views.find(({ name }) => name === `view of ${topic}`)?.topic
    if (source === undefined) throw new Error(`there is no view of ${topic}`)
    for (let partition = 0; partition < partitions; partition += 1) {
      const shard = { view: viewId(source, vectorSpace.name), partition, tables: tablesOf(topic), vectorSpace }
      lines.push(...(await shardDump(store, shard)))
    }
  }
  await log.close()
  return lines.sort()
}

async function shardDump(store: ViewStore, options: Parameters<ViewStore['read']>[0]) {
  const shard = await store.read(options, 'latest').catch((error: unknown) => {
    // A partition without a record has no tables.
    if (isLoomlogError(error, 'not-found')) return null
    throw error
  })
  const lines: string[] = []
  if (shard === null) return lines
  for (const table of options.tables)
    for await (const line of dumpTable(shard, table)) lines.push(`${table.name} ${line}`)
  await shard.close()
  return lines
}
