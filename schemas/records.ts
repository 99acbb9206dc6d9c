/**
 * Every record of loomlog, by Avro name: the raw schema text (with the `confluent:tags` that avsc would drop), and the compatibility of its
 * versions. Source events are permanent, so old and new code must read each other's. Derived events can be derived again, so new code must
 * read old records only.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { Compatibility } from '@loomlog/log/port'

export type RecordKind = 'source' | 'derived' | 'system'

export interface RecordSchema {
  /** UtteranceAppended. */
  readonly name: string
  /** loomlog.UtteranceAppended: the subject in the registry. */
  readonly fullName: string
  readonly kind: RecordKind
  readonly text: string
  readonly compatibility: Compatibility
}

const kinds: readonly RecordKind[] = ['source', 'derived', 'system']

function load(kind: RecordKind): readonly RecordSchema[] {
  const folder = new URL(`./${kind}/`, import.meta.url)
  return readdirSync(folder)
    .filter((file) => file.endsWith('.avsc'))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8')
      const { name, namespace } = JSON.parse(text) as { name: string; namespace: string }
      const compatibility = kind === 'source' ? 'FULL_TRANSITIVE' : 'BACKWARD_TRANSITIVE'
      return { name, fullName: `${namespace}.${name}`, kind, text, compatibility }
    })
}

export const records: readonly RecordSchema[] = kinds.flatMap(load)
