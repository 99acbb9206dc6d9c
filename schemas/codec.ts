/**
 * The one codec: events to and from Avro in Confluent wire format (a zero, the writer schema's id in four bytes, the
 * record). All words of people pass through it, so encryption of fields tagged PII belongs here. There is none yet:
 * `keyId` is null, and a record with a key is refused.
 *
 * A resolver from writer to reader schema is compiled once for each writer id. Records of current schemas, nearly all,
 * are read in one pass (decoder.ts); avsc resolves older ones.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { SchemaRegistry } from '@loomlog/log/port'
import avro from 'avsc'
import { compileReader, type RecordReader } from './decoder.ts'
import type { LogEvent, LoomEvent } from './events.ts'
import { framingFault } from './framing.ts'
import { type RecordSchema, records } from './records.ts'

/** A record in its current schema. */
interface Current {
  readonly name: string
  readonly type: avro.Type
  /** avsc needs Buffers for bytes, which only top-level fields hold. */
  readonly hasBytes: boolean
  /** The id of the schema in the registry. */
  readonly id: number
}

interface Reader {
  readonly name: string
  readonly writer: avro.Type
  readonly type: avro.Type
  readonly resolver: unknown
  /** Null if writer and reader differ. */
  readonly same: RecordReader | null
}

const magicByte = 0
/**
 * Begins the reason that a log gives in the place of a record that it can't read (packages/log/unreadable-value.ts).
 */
const unreadableByte = 0xff
const headerBytes = 5

export class Codec {
  readonly #registry: SchemaRegistry
  /** Records by name. */
  readonly #current: ReadonlyMap<string, Current>
  /** The same records by full name. */
  readonly #types: ReadonlyMap<string, Current>
  readonly #readers = new Map<number, Reader>()
  readonly #loading = new Map<number, Promise<Reader>>()

  private constructor(registry: SchemaRegistry, current: ReadonlyMap<string, Current>) {
    this.#registry = registry
    this.#current = current
    this.#types = new Map([...current.values()].map((record) => [record.type.name ?? '', record]))
  }

  /**
   * Registers every record's current schema. @throws LoomlogError `schema-refused`
   * @param all default: loomlog's own
   */
  static async open(registry: SchemaRegistry, all: readonly RecordSchema[] = records): Promise<Codec> {
    const current = new Map<string, Current>()
    for (const { name, fullName, text, compatibility } of all) {
      const id = await registry.register(fullName, text, compatibility)
      current.set(name, { name, id, type: avro.Type.forSchema(JSON.parse(text)), hasBytes: text.includes('"bytes"') })
    }
    return new Codec(registry, current)
  }

  encode(event: LogEvent): Uint8Array {
    const current = this.#current.get(event.type)
    if (current === undefined) throw new Error(`no schema for ${event.type}`)
    if ('keyId' in event && typeof event.keyId === 'string')
      throw new Error(`${event.type} names a key, but is plain text`)
    const end = write(current.type, current.hasBytes ? withBuffers(event) : event)
    scratch.writeUInt8(magicByte, 0)
    scratch.writeInt32BE(current.id, 1)
    return Buffer.from(scratch.subarray(0, end))
  }

  /**
   * @throws LoomlogError `input-invalid` for bytes that are no such record, `schema-unknown` for an id that the
   * registry doesn't know
   */
  async decode(value: Uint8Array): Promise<LogEvent> {
    const id = idOf(value)
    return decodeWith(this.#readers.get(id) ?? (await this.#load(id)), value, id)
  }

  /**
   * Null for undecodable bytes: their stage parks them, and readers skip them.
   * @throws errors that may pass, as `decodeEach` does
   */
  async decodeOrNull(value: Uint8Array): Promise<LogEvent | null> {
    const [decoded] = await this.decodeEach([value])
    return decoded === undefined || isLoomlogError(decoded) ? null : decoded
  }

  /**
   * An event of loomlog's own; null for an extension's, and for undecodable bytes.
   * @throws errors that may pass, as `decodeEach` does
   */
  async decodeOwn(value: Uint8Array): Promise<LoomEvent | null> {
    const event = await this.decodeOrNull(value)
    return event !== null && isOwn(event) ? event : null
  }

  /**
   * Decodes each value, in order; an undecodable one gives the error of `decode`. A schema that the registry still
   * lacks after waiting for it counts as undecodable. @throws errors that may pass, such as a registry that doesn't
   * answer
   */
  async decodeEach(values: readonly Uint8Array[]): Promise<readonly (LogEvent | LoomlogError)[]> {
    const decoded: (LogEvent | LoomlogError)[] = []
    for (const value of values) {
      try {
        const id = idOf(value)
        // No await for a known schema: it would cost as much as the decoding.
        const reader = this.#readers.get(id) ?? (await this.#load(id))
        decoded.push(decodeWith(reader, value, id))
      } catch (error) {
        if (!isLoomlogError(error, 'input-invalid') && !isLoomlogError(error, 'schema-unknown')) throw error
        decoded.push(error)
      }
    }
    return decoded
  }

  /** Compiling takes a hundred times as long as reading, so concurrent callers share one compilation. */
  #load(id: number): Promise<Reader> {
    const loading = this.#loading.get(id) ?? this.#loadNow(id).finally(() => this.#loading.delete(id))
    this.#loading.set(id, loading)
    return loading
  }

  async #loadNow(id: number): Promise<Reader> {
    const reader = readerOf(id, await this.#registry.schema(id), this.#types)
    this.#readers.set(id, reader)
    return reader
  }
}

const own: ReadonlySet<string> = new Set(records.map(({ name }) => name))

/** False for the events of extensions. */
function isOwn(event: LogEvent): event is LoomEvent {
  return own.has(event.type)
}

/** A stray record may name another application's schema: that is a fault of the record, not of the registry. */
function readerOf(id: number, schema: string, types: ReadonlyMap<string, Current>): Reader {
  try {
    const writer = avro.Type.forSchema(JSON.parse(schema))
    const current = types.get(writer.name ?? '')
    if (!current) throw new Error(`it is of ${writer.name}, which loomlog does not know`)
    const { name, type } = current
    const isSame = writer.fingerprint().equals(type.fingerprint())
    return {
      name,
      writer,
      type,
      resolver: type.createResolver(writer),
      same: isSame ? compileReader(name, type) : null,
    }
  } catch (cause) {
    throw new LoomlogError('input-invalid', `schema ${id} can't be read: ${(cause as Error).message}`, { cause })
  }
}

function idOf(value: Uint8Array): number {
  const bytes = bufferOf(value)
  if (bytes.length >= headerBytes && bytes.readUInt8(0) === magicByte) return bytes.readInt32BE(1)
  if (bytes[0] === unreadableByte) throw new LoomlogError('input-invalid', bytes.subarray(1).toString('utf8'))
  throw new LoomlogError('input-invalid', `not in Confluent wire format: it starts with 0x${hexStart(bytes)}`)
}

function bufferOf(value: Uint8Array): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

function decodeWith(reader: Reader, value: Uint8Array, id: number): LogEvent {
  const body = bufferOf(value).subarray(headerBytes)
  const decoded = reader.same ? readSame(reader.same, reader.name, body, id) : resolved(reader, body, id)
  if (typeof decoded.keyId === 'string') {
    throw new LoomlogError(
      'input-invalid',
      `${reader.name} is encrypted with key ${decoded.keyId}; it cannot be read yet`,
    )
  }
  return decoded as unknown as LogEvent
}

function readSame(read: RecordReader, name: string, body: Buffer, id: number): Record<string, unknown> {
  try {
    return read(body)
  } catch (cause) {
    throw unreadable(name, id, cause)
  }
}

function resolved({ name, writer, type, resolver }: Reader, body: Buffer, id: number): Record<string, unknown> {
  const fault = framingFault(writer, body)
  if (fault !== null) throw new LoomlogError('input-invalid', `not a ${name} of schema ${id}: ${fault}`)
  try {
    return { type: name, ...plain(type.fromBuffer(body, resolver as never, false) as object) }
  } catch (cause) {
    throw unreadable(name, id, cause)
  }
}

function unreadable(name: string, id: number, cause: unknown): LoomlogError {
  return new LoomlogError('input-invalid', `not a ${name} of schema ${id}: ${(cause as Error).message}`, { cause })
}

/** Turns avsc's class instances and Buffers into plain objects with copied bytes. */
function plain(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainItem(item)]))
}

function plainItem(item: unknown): unknown {
  if (Array.isArray(item)) return item.map(plainItem)
  if (Buffer.isBuffer(item)) return new Uint8Array(item)
  return item !== null && typeof item === 'object' ? plain(item) : item
}

/** Grows to the largest record. Encoding is synchronous, so one buffer is enough. */
let scratch = Buffer.allocUnsafe(64 * 1024)

/** Writes after the header, and returns the end of the record. */
function write(type: avro.Type, record: object): number {
  for (;;) {
    const end = type.encode(record, scratch, headerBytes)
    if (end >= 0) return end
    scratch = Buffer.allocUnsafe(scratch.length - end)
  }
}

function withBuffers(event: object): object {
  const entries = Object.entries(event).map(([key, item]) =>
    item instanceof Uint8Array ? [key, Buffer.from(item.buffer, item.byteOffset, item.byteLength)] : [key, item],
  )
  return Object.fromEntries(entries)
}

function hexStart(bytes: Buffer): string {
  return bytes.subarray(0, 4).toString('hex')
}
