/**
 * The schema registry in the log's own file. The same schema under a subject has one id, regardless of white space and
 * the order of keys; a new version must be compatible with every version before it. Ids are never reused.
 */
import { LoomlogError } from '@loomlog/errors'
import avro from 'avsc'
import type { Compatibility, SchemaRegistry } from '../port.ts'
import type { Database } from './driver.ts'

interface Version {
  readonly id: number
  readonly version: number
  readonly canonical: string
  readonly schema: string
}

export function schemaRegistry(db: Database): SchemaRegistry {
  return {
    async register(subject, schema, compatibility) {
      return idOf(db, subject, schema) ?? (await db.write(() => register(db, subject, schema, compatibility)))
    },
    async schema(id) {
      const found = db.one<{ schema: string }>('select schema from schemas where id = ?', id)
      if (!found) throw new LoomlogError('schema-unknown', `there is no schema with id ${id} in ${db.file}`)
      return found.schema
    },
  }
}

/** Looks a schema up without a write, so that a read-only log can be opened. Null: this very text is not registered. */
function idOf(db: Database, subject: string, schema: string): number | null {
  return db.one<{ id: number }>('select id from schemas where subject = ? and schema = ?', subject, schema)?.id ?? null
}

function register(db: Database, subject: string, schema: string, compatibility: Compatibility): number {
  const refuse = (reason: string, cause?: unknown) =>
    new LoomlogError('schema-refused', `schema of ${subject} refused: ${reason}`, { cause })
  const canonical = attempt(
    () => canonicalText(schema),
    (error) => refuse(error.message, error),
  )
  const versions = db.all<Version>(
    'select id, version, canonical, schema from schemas where subject = ? order by version',
    subject,
  )
  const same = versions.find((version) => version.canonical === canonical)
  if (same) return same.id
  const type = attempt(
    () => parsed(schema),
    (error) => refuse(error.message, error),
  )
  for (const earlier of versions) {
    attempt(
      () => checkCompatible(type, parsed(earlier.schema), compatibility),
      (error) => refuse(`not ${compatibility} with version ${earlier.version}: ${error.message}`, error),
    )
  }
  return insert(db, { subject, version: (versions.at(-1)?.version ?? 0) + 1, canonical, schema })
}

function insert(db: Database, row: { subject: string; version: number; canonical: string; schema: string }): number {
  const { subject, version, canonical, schema } = row
  const sql = 'insert into schemas (subject, version, canonical, schema, checksum) values (?, ?, ?, ?, 0) returning id'
  const inserted = db.one<{ id: number }>(sql, subject, version, canonical, schema)
  if (!inserted) throw new Error('an insert returned no id')
  db.run('update schemas set checksum = checksum(id, subject, version, canonical, schema) where id = ?', inserted.id)
  return inserted.id
}

/** Backward: the new version reads records of the earlier ones. Full: the reverse holds too. */
function checkCompatible(later: avro.Type, earlier: avro.Type, compatibility: Compatibility): void {
  later.createResolver(earlier)
  if (compatibility === 'FULL_TRANSITIVE') earlier.createResolver(later)
}

function parsed(schema: string): avro.Type {
  return avro.Type.forSchema(JSON.parse(schema) as avro.Schema)
}

function canonicalText(schema: string): string {
  return JSON.stringify(JSON.parse(schema), (_key, value: unknown) => (isObject(value) ? sorted(value) : value))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function attempt<T>(work: () => T, failure: (error: Error) => LoomlogError): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Error ? failure(error) : error
  }
}
