/**
 * A space as an export reads it, from a log or from a server: one generation from the first page to the last. The
 * facts are never held whole.
 */
import type { DocumentReply, ListedMemory } from '@loomlog/client/api'
import { type LoomlogClient, path } from '@loomlog/client/loomlog-client'
import type { MemorySpace } from '@loomlog/client/memory'
import { serverMemory } from '@loomlog/client/server-memory'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { documentText } from '@loomlog/gateway/document-text'
import { memoryOf } from '@loomlog/gateway/memory-rows'
import type { Host } from '@loomlog/host/open'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { spaceKey } from '@loomlog/schemas/ids'
import { everyRow } from '@loomlog/views/every-row'
import { current } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { documents } from '@loomlog/views/tables/documents'
import { facts } from '@loomlog/views/tables/facts'
import { utterances } from '@loomlog/views/tables/utterances'
import { withReading } from '../generations/live.ts'

export interface SpaceToExport {
  readonly name: string
  /** Null: that of the key, which the server knows. */
  readonly tenant: string | null
  /** @throws LoomlogError `views-behind` where another generation becomes live meanwhile: its ids are others */
  memories(kind: 'fact' | 'document', state: 'current' | 'all'): AsyncIterable<ExportedMemory>
  document(id: string): Promise<DocumentReply>
  /** Utterances and corrections; those that the memory doesn't have are left out. */
  sources(ids: readonly string[]): Promise<readonly CitedSource[]>
  /** A mistyped space must not look like one without facts. */
  hasUtterances(): Promise<boolean>
}

/** A memory with the generation that it was read from. */
export interface ExportedMemory {
  readonly memory: ListedMemory
  readonly generation: string | null
}

export type CitedSource = Pick<ListedMemory, 'id' | 'text' | 'speaker' | 'at'>

/** Most memories of a page that a server gives. */
const pageItems = 500
/** Requests to a server at once. */
const requestsAtOnce = 8

/** Opens the views once, and reads long pages: a short one costs as much as a long one there. */
export async function withSpaceOfLog<T>(
  host: Host,
  { tenant, space: name }: SpaceAddress,
  work: (space: SpaceToExport) => Promise<T>,
): Promise<T> {
  const space = spaceKey(tenant, name)
  return withReading(host, tenant, ({ views, generation, epoch }) => {
    async function* memories(kind: 'fact' | 'document', state: 'current' | 'all'): AsyncGenerator<ExportedMemory> {
      const table: Table = kind === 'fact' ? facts : documents
      for await (const row of everyRow(views, table, { space, ...(state === 'current' && { where: current }) }))
        yield { memory: memoryOf(row, table) as ListedMemory, generation }
    }
    return work({
      name,
      tenant,
      memories,
      document: async (id) => ({ ...(await documentText(id, space, views)), generation, epoch }),
      sources: (ids) => views.byIds(utterances, space, ids),
      hasUtterances: async () => (await views.count(utterances, { space })) > 0,
    })
  })
}

export function spaceOfServer(client: LoomlogClient, space: string, tenant: string | null): SpaceToExport {
  const at = path`/v1/spaces/${space}`
  async function source(id: string): Promise<readonly CitedSource[]> {
    try {
      const { memory } = await client.get<{ readonly memory: CitedSource }>(at + path`/memories/${id}`)
      return [memory]
    } catch (error) {
      if (isLoomlogError(error, 'not-found')) return []
      throw error
    }
  }
  const memory = serverMemory(client).space(space)
  return {
    name: space,
    tenant,
    memories: (kind, state) => everyMemory(memory, { kind, state }),
    document: (id) => memory.document(id),
    async sources(ids) {
      const found: CitedSource[] = []
      for (let first = 0; first < ids.length; first += requestsAtOnce)
        found.push(...(await Promise.all(ids.slice(first, first + requestsAtOnce).map(source))).flat())
      return found
    },
    hasUtterances: () => hasUtterances(memory),
  }
}

async function* everyMemory(
  memory: Pick<MemorySpace, 'list'>,
  list: { readonly kind: string; readonly state: 'current' | 'all' },
): AsyncGenerator<ExportedMemory> {
  let first: string | null | undefined
  let cursor: string | undefined
  do {
    const { memories, generation, next } = await memory.list({ ...list, limit: pageItems, cursor })
    first ??= generation
    if (generation !== first)
      throw new LoomlogError('views-behind', 'another generation became live during the export: repeat it')
    for (const each of memories) yield { memory: each, generation }
    cursor = next ?? undefined
  } while (cursor !== undefined)
}

export async function hasUtterances(memory: Pick<MemorySpace, 'list'>): Promise<boolean> {
  return (await memory.list({ kind: 'utterance', state: 'all', limit: 1 })).memories.length > 0
}

/** @throws LoomlogError `not-found` */
export async function requireUtterances(space: Pick<SpaceToExport, 'name' | 'hasUtterances'>): Promise<void> {
  if (await space.hasUtterances()) return
  throw new LoomlogError('not-found', `there are no utterances in the space ${space.name}`)
}
