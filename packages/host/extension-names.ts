/**
 * The names of stages, topics, records, tables and kinds belong to one owner each: loomlog, or one extension. Of two
 * parts with one name, one would hide the other: the second stage of a name would replace the first one's derivation,
 * and a kind is looked up in the first table that has it.
 */
import { LoomlogError } from '@loomlog/errors'
import type { RecordSchema } from '@loomlog/schemas/records'
import type { TopicSpec } from '@loomlog/topics/catalogue'
import type { Table } from '@loomlog/views/table'

/** The named parts that one owner adds. */
export interface NamedParts {
  /** The name of the owner in errors. */
  readonly owner: string
  readonly stages: readonly string[]
  readonly topics: readonly TopicSpec[]
  readonly records: readonly RecordSchema[]
  readonly tables: readonly Table[]
}

/** @throws LoomlogError `config-invalid`, with the name and both owners */
export function refuseDuplicateNames(all: readonly NamedParts[]): void {
  const owners = new Map<string, string>()
  for (const { owner, ...parts } of all) {
    for (const name of namesOf(parts)) {
      const other = owners.get(name)
      if (other !== undefined) throw duplicateName(name, [other, owner])
      owners.set(name, owner)
    }
  }
}

function namesOf({ stages, topics, records, tables }: Omit<NamedParts, 'owner'>): readonly string[] {
  return [
    ...stages.map((name) => `stage ${name}`),
    ...topics.map(({ name }) => `topic ${name}`),
    ...records.map(({ name }) => `record ${name}`),
    ...tables.map(({ name }) => `table ${name}`),
    ...tables.flatMap(({ kinds }) => kinds.map((kind) => `kind ${kind}`)),
  ]
}

function duplicateName(name: string, [one, other]: readonly [string, string]): LoomlogError {
  const message =
    one === other
      ? `LOOMLOG_EXTENSIONS: ${one} has the ${name} twice: name each module once, and each of its parts differently`
      : `LOOMLOG_EXTENSIONS: ${one} and ${other} both have the ${name}: rename it in one of them`
  return new LoomlogError('config-invalid', message)
}
