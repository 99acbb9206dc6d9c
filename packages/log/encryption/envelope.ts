/**
 * An encrypted record on the wire: the record `loomlog.RecordSealed` in Confluent wire format, so that every client of
 * the topic reads the envelope. Its one field holds the sealed bytes of the whole record, its ids and times included.
 * The record's key, `tenant/space`, stays plain and is authenticated with them.
 */
import { LoomlogError } from '@loomlog/errors'

export const sealedSubject = 'loomlog.RecordSealed'
export const sealedSchema = JSON.stringify({
  type: 'record',
  namespace: 'loomlog',
  name: 'RecordSealed',
  doc: 'A record of the topic, encrypted. Written where the log is encrypted, in place of the record itself.',
  fields: [
    {
      name: 'sealed',
      type: 'bytes',
      doc: "A byte 1, the data key's id (12 bytes), a nonce (12), the AES-256-GCM encrypted record, its tag (16). The record's key is the additional data.",
    },
  ],
})

const headerBytes = 5

/** Frames sealed bytes. A length of Avro is a zigzag varint. */
export function framed(schemaId: number, sealed: Buffer): Buffer {
  const length: number[] = []
  let left = sealed.length * 2
  for (; left > 0x7f; left = Math.floor(left / 128)) length.push((left & 0x7f) | 0x80)
  length.push(left)
  const head = Buffer.alloc(headerBytes)
  head.writeInt32BE(schemaId, 1)
  return Buffer.concat([head, Buffer.from(length), sealed])
}

/** Null: the value is no sealed record. @throws LoomlogError `input-invalid` where it is cut short */
export function unframed(schemaId: number, value: Uint8Array): Uint8Array | null {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (bytes.length < headerBytes || bytes[0] !== 0 || bytes.readInt32BE(1) !== schemaId) return null
  let at = headerBytes
  let length = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = bytes[at]
    if (byte === undefined || scale > 2 ** 35) throw cutShort()
    at += 1
    length += (byte & 0x7f) * scale
    if (byte < 0x80) break
  }
  if (length / 2 !== bytes.length - at) throw cutShort()
  return bytes.subarray(at)
}

function cutShort(): LoomlogError {
  return new LoomlogError('input-invalid', 'a sealed record is cut short')
}
