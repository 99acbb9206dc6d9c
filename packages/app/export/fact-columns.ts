/**
 * The columns of exported facts, the same in CSV and in Parquet. Columns are only added, at the end: other programs
 * read them by name or by place.
 */
import type { ListedMemory } from '@loomlog/client/api'
import type { ExportedMemory } from './space-export.ts'

export type FactValue = string | number | boolean | readonly string[] | null

export interface FactColumn {
  readonly name: string
  /** A time is ms since 1970. */
  readonly type: 'text' | 'texts' | 'time' | 'flag'
  value(fact: FactToExport): FactValue
}

export interface FactToExport extends ExportedMemory {
  readonly space: string
}

export const factColumns: readonly FactColumn[] = [
  { name: 'id', type: 'text', value: ({ memory }) => memory.id },
  { name: 'space', type: 'text', value: ({ space }) => space },
  field('kind', 'text', 'type'),
  field('text', 'text'),
  field('subject', 'text'),
  field('relation', 'text'),
  field('object', 'text'),
  field('speaker', 'text'),
  field('role', 'text'),
  field('conversation', 'text'),
  field('said_at', 'time', 'at'),
  field('valid_from', 'time', 'validFrom'),
  field('valid_to', 'time', 'validTo'),
  { name: 'state', type: 'text', value: ({ memory }) => (memory.knownTo === null ? 'current' : 'retired') },
  field('known_from', 'time', 'knownFrom'),
  field('known_to', 'time', 'knownTo'),
  field('location', 'text'),
  field('persons', 'texts'),
  field('entities', 'texts'),
  field('keywords', 'texts'),
  field('is_instruction', 'flag', 'isInstruction'),
  { name: 'correction', type: 'text', value: ({ memory }) => correctionOf(memory) },
  field('sources', 'texts'),
  field('method', 'text'),
  field('derivation', 'text'),
  { name: 'generation', type: 'text', value: ({ generation }) => generation },
]

/** @param of the field of the memory. Default: the column's name */
function field(name: string, type: FactColumn['type'], of = name): FactColumn {
  return { name, type, value: ({ memory }) => (memory[of] ?? null) as FactValue }
}

/** The id of the correction that states the fact; null: it was derived. */
function correctionOf({ correction }: ListedMemory): string | null {
  return (correction as { readonly id: string } | null | undefined)?.id ?? null
}
