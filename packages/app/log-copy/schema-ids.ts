/** Translates the schema ids in the headers of records: a schema has another id in another registry. */
import { isLoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import { records as knownRecords } from '@loomlog/schemas/records'

export type SchemaIdTranslator = (value: Uint8Array) => Promise<Uint8Array>

const headerBytes = 5
/** The id of no schema: a record whose schema the source doesn't know gets it, and so stays undecodable. */
const noSchema = 0

/** Schemas are registered in the target when they are first met. */
export function schemaIdTranslator(from: Log, to: Log): SchemaIdTranslator {
  const ids = new Map<number, Promise<number>>()
  async function inTarget(id: number): Promise<number> {
    try {
      const text = await from.schemas.schema(id)
      const { namespace, name } = JSON.parse(text) as { namespace?: string; name: string }
      const fullName = namespace === undefined || name.includes('.') ? name : `${namespace}.${name}`
      const known = knownRecords.find((record) => record.fullName === fullName)
      return await to.schemas.register(fullName, text, known?.compatibility ?? 'BACKWARD_TRANSITIVE')
    } catch (error) {
      if (isLoomlogError(error, 'schema-unknown')) return noSchema
      throw error
    }
  }
  return async (value) => {
    const bytes = Buffer.from(value)
    if (bytes.length < headerBytes || bytes.readUInt8(0) !== 0) return value
    const id = bytes.readInt32BE(1)
    const translated = ids.get(id) ?? inTarget(id)
    ids.set(id, translated)
    bytes.writeInt32BE(await translated, 1)
    return bytes
  }
}
