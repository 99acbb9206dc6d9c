/** The canonical dump of all views in a folder: which rows each table shows, wherever in the log they came from. */
import { join } from 'node:path'
import { isLoomlogError } from '@loomlog/errors'
import { configFrom } from '@loomlog/host/config'
import { shardUri, type ViewTopic, viewId, viewTables, viewTopics } from '@loomlog/views/catalogue'
import { openShard } from '@loomlog/views/shard'
import type { Environment } from '../pipeline/loomlog.ts'

/** What `GET /v1/status` tells of the views, and of how far everything is. */
export interface Status {
  readonly embedder: string
  readonly stages: readonly { readonly name: string; readonly lag: number }[]
  readonly views: readonly { readonly name: string; readonly topic: string; readonly lag: number }[]
}

export async function viewDump(folder: string, environment: Environment, status: Status): Promise<readonly string[]> {
  const { dir, partitions, embedders } = configFrom({ ...environment, LOOMLOG_DIR: folder })
  const [embedder] = embedders
  if (!embedder || embedder.kind === 'use-lite') throw new Error('the views of a flow are embedded by an endpoint')
  const vectorSpace = { name: status.embedder, dimensions: embedder.dimensions }
  const lines: string[] = []
  for (const topic of viewTopics) {
    const source = status.views.find(({ name }) => name === `view of ${topic}`)?.topic
    if (source === undefined) throw new Error(`there is no view of ${topic}`)
    for (let partition = 0; partition < partitions; partition += 1) {
      const uri = shardUri(join(dir, 'views'), viewId(source, vectorSpace.name), partition)
      lines.push(...(await shardDump(topic, uri, vectorSpace)))
    }
  }
  return lines.sort()
}

async function shardDump(
  topic: ViewTopic,
  uri: string,
  vectorSpace: { readonly name: string; readonly dimensions: number },
) {
  const opening = openShard({ uri, tables: viewTables[topic], vectorSpace, mode: 'read' })
  const shard = await opening.catch((error: unknown) => {
    // A partition without a record has no tables.
    if (isLoomlogError(error, 'not-found')) return null
    throw error
  })
  const lines: string[] = []
  if (shard === null) return lines
  for (const table of viewTables[topic]) for await (const line of shard.dump(table)) lines.push(`${table} ${line}`)
  await shard.close()
  return lines
}
