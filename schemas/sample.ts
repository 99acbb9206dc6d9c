/**
 * Writes a sample of every record whose schema is not the newest committed version: `npm run sample`. A version that
 * exists is never overwritten, and a schema that is incompatible with its earlier versions gets none.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import avro from 'avsc'
import { records } from './records.ts'
import { incompatibilities, sampleFileName, samplesFolder, versionsOf } from './versions.ts'

const { types } = avro

/** A value with every field, without empty lists, and without null where the schema allows another value. */
function full(type: avro.Type, name: string): unknown {
  if (name === 'keyId') return null
  if (type instanceof types.RecordType)
    return Object.fromEntries(type.fields.map((field) => [field.name, full(field.type, field.name)]))
  if (type instanceof types.ArrayType) return [full(type.itemsType, `first of ${name}`), full(type.itemsType, name)]
  if (type instanceof types.MapType) return { key: full(type.valuesType, name) }
  if (type instanceof types.EnumType) return type.symbols.at(-1)
  if (type instanceof types.UnwrappedUnionType || type instanceof types.WrappedUnionType)
    return full(type.types.at(-1) as avro.Type, name)
  if (type instanceof types.StringType) return `the ${name}: Zoë’s 🧵`
  if (type instanceof types.BytesType) return Buffer.of(0, 1, 127, 128, 255)
  if (type instanceof types.IntType) return -7
  if (type instanceof types.LongType) return 1_683_450_000_123
  if (type instanceof types.DoubleType) return 0.625
  if (type instanceof types.BooleanType) return false
  throw new Error(`${name} is a ${type.typeName}, which has no sample`)
}

function bytesAsText(_key: string, item: unknown): unknown {
  const buffer = item as { type?: unknown; data?: unknown } | null
  const isBytes = buffer?.type === 'Buffer' && Array.isArray(buffer.data)
  return isBytes ? { bytes: Buffer.from(buffer.data as number[]).toString('base64') } : item
}

mkdirSync(samplesFolder, { recursive: true })
for (const record of records) {
  const versions = versionsOf(record.name)
  if (versions.at(-1)?.text === record.text) continue
  const faults = incompatibilities(record.text, versions, record.compatibility)
  if (faults.length > 0) {
    console.error(`${record.fullName} gets no new version:\n${faults.join('\n')}`)
    process.exitCode = 1
    continue
  }
  const base = `${sampleFileName(record.name)}.v${versions.length + 1}`
  const type = avro.Type.forSchema(JSON.parse(record.text))
  const value = full(type, record.name)
  const write = (ending: string, content: string | Uint8Array) =>
    writeFileSync(new URL(`${base}.${ending}`, samplesFolder), content, { flag: 'wx' })
  write('avsc', record.text)
  write('bin', type.toBuffer(value))
  write('json', `${JSON.stringify(value, bytesAsText, 2)}\n`)
  console.log(`samples/${base}`)
}
