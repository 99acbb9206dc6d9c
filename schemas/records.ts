/**
 * Every record of loomlog's own: the raw schema text (with the `confluent:tags` that avsc would drop), and the
 * compatibility of its versions. Source events are permanent, and other programs read published events, so old and new
 * code must read each other's records. Derived events can be derived again, so new code must read old records only.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { Compatibility } from '@loomlog/log/port'

export type RecordKind = 'source' | 'derived' | 'system' | 'published'

export interface RecordSchema {
  /** UtteranceAppended. */
  readonly name: string
  /** loomlog.UtteranceAppended: the subject in the registry. */
  readonly fullName: string
  readonly kind: RecordKind
  readonly text: string
  readonly compatibility: Compatibility
}

const folders: { readonly [kind in RecordKind]: URL } = {
  source: new URL('./source/', import.meta.url),
  derived: new URL('./derived/', import.meta.url),
  system: new URL('./system/', import.meta.url),
  published: new URL('./published/', import.meta.url),
}

/** The schema in an .avsc file. */
export function recordSchema(file: URL, kind: RecordKind): RecordSchema {
  const text = readFileSync(file, 'utf8')
  const { name, namespace } = JSON.parse(text) as { name: string; namespace: string }
  const compatibility = kind === 'source' || kind === 'published' ? 'FULL_TRANSITIVE' : 'BACKWARD_TRANSITIVE'
  return { name, fullName: `${namespace}.${name}`, kind, text, compatibility }
}

function load(kind: RecordKind): readonly RecordSchema[] {
  const folder = folders[kind]
  const files = readdirSync(folder).filter((file) => file.endsWith('.avsc'))
  return files.sort().map((file) => recordSchema(new URL(file, folder), kind))
}

export const records: readonly RecordSchema[] = (Object.keys(folders) as RecordKind[]).flatMap(load)
