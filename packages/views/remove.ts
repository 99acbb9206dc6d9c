/** Removes all that a view holds: its tables, and in a folder the folder as well. Nobody may be writing to it. Idempotent. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect } from '@lancedb/lancedb'
import { shardUri } from './catalogue.ts'

export interface ViewPlace {
  /** Where all views stand: a folder or an object-store URI. */
  readonly views: string
  /** As `viewId` gives it. */
  readonly view: string
  readonly partitions: number
}

export async function removeView({ views, view, partitions }: ViewPlace): Promise<void> {
  if (!isObjectStore(views)) return rm(`${views}/${view}`, { recursive: true, force: true })
  for (let partition = 0; partition < partitions; partition += 1) {
    const connection = await connect(shardUri(views, view, partition))
    await connection.dropAllTables()
    connection.close()
  }
}

/** Is there anything of it? An object store is not asked. */
export function viewIsThere({ views, view }: ViewPlace): boolean {
  return isObjectStore(views) || existsSync(`${views}/${view}`)
}

function isObjectStore(views: string): boolean {
  return views.includes('://')
}
