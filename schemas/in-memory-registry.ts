/**
 * A schema registry in memory, for records that are checked without a log, and for tests: ids count up from 1 in the
 * order of registration, and nothing is checked.
 * Writer schemas given to it come first.
 */
import { LoomlogError } from '@loomlog/errors'
import type { SchemaRegistry } from '@loomlog/log/port'

export function inMemoryRegistry(texts: readonly string[] = []): SchemaRegistry {
  const schemas = [...texts]
  return {
    async register(_subject, text) {
      const known = schemas.indexOf(text)
      return known >= 0 ? known + 1 : schemas.push(text)
    },
    async schema(id) {
      const text = schemas[id - 1]
      if (text === undefined) throw new LoomlogError('schema-unknown', `there is no schema with id ${id}`)
      return text
    },
  }
}
