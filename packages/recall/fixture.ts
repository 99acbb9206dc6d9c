/**
 * A memory for tests: a log and views in a temporary folder, rows as the materializer writes them, and an embedder that
 * counts words.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { alikeName } from '@loomlog/language/alike-name'
import { terms } from '@loomlog/language/terms'
import { partitionOf } from '@loomlog/log/partition'
import { openSqliteLog } from '@loomlog/log/sqlite'
import type { Embedder } from '@loomlog/models/embedder'
import { Codec } from '@loomlog/schemas/codec'
import type { SourceEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { hash, spaceKey } from '@loomlog/schemas/ids'
import { tablesOf, viewId, viewTopics } from '@loomlog/views/catalogue'
import { lanceStore } from '@loomlog/views/lancedb'
import { ViewReader } from '@loomlog/views/reader'
import type { Row } from '@loomlog/views/row'
import { SpaceCache } from '@loomlog/views/space-cache'
import { emptyRow, type RowOf, type Table } from '@loomlog/views/table'
import { tables } from '@loomlog/views/tables'

const dimensions = 8
const partitions = 2

/** Texts with common words have near vectors. */
const toyEmbedder: Embedder = {
  vectorSpace: { name: 'toy-8', dimensions },
  isFast: true,
  async embed(texts) {
    return texts.map((text) => {
      const vector = new Float32Array(dimensions)
      for (const term of terms(text)) vector[Number.parseInt(hash(term).slice(0, 4), 16) % dimensions] = 1
      const length = Math.hypot(...vector)
      return length === 0 ? vector : vector.map((value) => value / length)
    })
  },
  close: async () => {},
}

export async function memory(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-recall-'))
  const folder = join(dir, 'views')
  const log = openSqliteLog({ dir })
  await log.createTopic({ name: 'utterances', partitions, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const sources = new Map(viewTopics().map(({ name }) => [name, name]))
  const store = lanceStore(folder)
  const views = new ViewReader({
    store,
    vectorSpace: toyEmbedder.vectorSpace,
    partitions,
    sources,
    log,
    cache: new SpaceCache(),
    lookUpWaitMs: 0,
  })
  t.after(async () => {
    await views.close()
    await log.close()
    await rm(dir, { recursive: true })
  })

  /**
   * Writes into the view. The log of utterances gets records without a space up to the watermark: a view is never ahead
   * of its log.
   * @param watermark of every partition; by default the partitions of the rows end after their last row, and the others
   * are not written
   */
  async function write(name: TableName, rows: readonly TestRow[], watermark?: number): Promise<void> {
    const table: Table = tables.find((each) => each.name === name) ?? tables[0]
    const { name: topic } = table.topic
    const byPartition = Map.groupBy(rows, (row) => partitionOf(row.space, partitions))
    for (let partition = 0; partition < partitions; partition += 1) {
      const of = byPartition.get(partition) ?? []
      if (of.length === 0 && watermark === undefined) continue
      const reached = watermark ?? Math.max(...of.map(({ offset = 0 }) => offset)) + 1
      if (topic === 'utterances') await fillLog(partition, reached)
      const view = viewId(topic, toyEmbedder.vectorSpace.name)
      const vectorSpace = toyEmbedder.vectorSpace
      const shard = await store.write({ view, partition, tables: tablesOf(topic), vectorSpace })
      const changes = of.map((row) => ({ kind: 'put', row: completed(table, row) }) as const)
      await shard.apply({ table, changes, watermark: reached })
      await shard.close()
    }
  }

  async function fillLog(partition: number, end: number): Promise<void> {
    const missing = end - ((await log.endOffsets('utterances'))[partition] ?? 0)
    if (missing <= 0) return
    await log.append('utterances', Array(missing).fill({ key: null, partition, value: new Uint8Array(), timestamp: 0 }))
  }

  /** Writes into the log alone. */
  async function append(event: SourceEvent, key = spaceKey(event.tenant, event.space)): Promise<void> {
    await log.append('utterances', [{ key, value: codec.encode(event), timestamp: event.appendedAt }])
  }

  return { log, codec, views, embedder: toyEmbedder, folder, write, append }
}

type TableRow = RowOf<(typeof tables)[number]>
type PartialOf<R> = R extends unknown ? Partial<R> : never
/** Some columns of any table. */
type Fields = PartialOf<TableRow> & { readonly vector?: Float32Array | null }
export type TableName = (typeof tables)[number]['name']
export type TestRow = Fields & Pick<Row, 'id' | 'space' | 'speaker'>

/** An utterance of Ada, or a memory derived from it, unless `fields` differ. */
export async function row(space: string, id: string, text: string, fields: Fields = {}): Promise<TestRow> {
  const [vector = null] = await toyEmbedder.embed([text])
  return { id, space, text, vector, conversation: 'c', speaker: 'Ada', at: 0, ...fields }
}

/**
 * The row with its other columns: empty, except those that follow from the given ones. A correction has the `sources`
 * of its target.
 */
function completed(table: Table, row: TestRow) {
  const speakers = row.speaker.split(', ').map(alikeName)
  const isUtterance = table.name === 'utterances'
  const isCorrection = 'correction' in row && row.correction !== null
  const itself = isUtterance ? { sources: [row.id, ...(isCorrection ? (row.sources ?? []) : [])] } : {}
  const ownDefaults = isUtterance
    ? { role: 'human', canInstruct: true }
    : table.name === 'entries'
      ? { isOneOfSeveral: true }
      : {}
  return { ...emptyRow(table), speakers, ...ownDefaults, ...row, ...itself }
}

export function lineage(...causes: readonly string[]) {
  return { derivation: 'd1', method: 'rules', causes, completions: [] }
}

export function correction(action: 'add' | 'replace' | 'pin') {
  return { id: 'c', action, by: 'Ada', replaced: [] }
}

export function utterance(space: string, id: string, text: string): UtteranceAppended {
  const [tenant = '', name = ''] = space.split('/')
  const said = { conversation: 'c', speaker: 'Ada', role: 'human', at: 0, text, attachments: [], metadata: {} } as const
  return {
    type: 'UtteranceAppended',
    id,
    tenant,
    space: name,
    ...said,
    appendedAt: 0,
    isTimeGiven: true,
    canInstruct: true,
    keyId: null,
    principal: null,
  }
}
