/**
 * The versions of every record: `samples/<record>.v<n>.avsc` is the schema, `.bin` one encoded record without the wire
 * header, and `.json` its fields. These files are never changed or deleted, because such records are in logs
 * permanently.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import avro from 'avsc'
import type { Json } from './ids.ts'
import type { RecordSchema } from './records.ts'

export interface Version {
  readonly version: number
  readonly text: string
  readonly body: Uint8Array
  /** The sample's fields; bytes are written as `{ "bytes": base64 }`. */
  readonly value: { readonly [field: string]: Json }
}

export const samplesFolder = new URL('./samples/', import.meta.url)

/** box-sealed for BoxSealed. */
export function sampleFileName(record: string): string {
  return record.replace(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
}

/** The committed versions of a record, oldest first. */
export function versionsOf(record: string, folder: URL = samplesFolder): readonly Version[] {
  const versions: Version[] = []
  for (let version = 1; ; version += 1) {
    const base = `${sampleFileName(record)}.v${version}`
    if (!existsSync(new URL(`${base}.avsc`, folder))) return versions
    const read = (ending: string) => readFileSync(new URL(`${base}.${ending}`, folder))
    versions.push({ version, text: `${read('avsc')}`, body: read('bin'), value: JSON.parse(`${read('json')}`) })
  }
}

/** The file names of all records with a sample, also of records whose .avsc is deleted. */
export function sampledFiles(): readonly string[] {
  return [...new Set(readdirSync(samplesFolder).map((file) => file.replace(/\.v\d+\.\w+$/, '')))].sort()
}

/** The reasons why the schema can't follow its earlier versions; empty if it can. */
export function incompatibilities(
  current: string,
  before: readonly Pick<Version, 'version' | 'text'>[],
  compatibility: RecordSchema['compatibility'],
): readonly string[] {
  return before.flatMap(({ version, text }) => [
    ...unreadable(current, text, `new code cannot read v${version}`),
    ...(compatibility === 'FULL_TRANSITIVE' ? unreadable(text, current, `code of v${version} cannot read it`) : []),
  ])
}

function unreadable(reader: string, writer: string, problem: string): readonly string[] {
  try {
    avro.Type.forSchema(JSON.parse(reader)).createResolver(avro.Type.forSchema(JSON.parse(writer)))
    return []
  } catch (error) {
    return [`${problem}: ${(error as Error).message}`]
  }
}
