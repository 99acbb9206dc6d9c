/**
 * The value that readers get for a record whose bytes can't be read, because of a wrong checksum or an unknown
 * compression codec. It holds the reason. Decoding refuses it, so the record is parked with the reason, as other
 * garbage is.
 */

/** No record in Confluent wire format begins with this byte; schemas/codec.ts recognises it. */
const mark = 0xff

export function unreadableValue(reason: string): Uint8Array {
  return Buffer.concat([Buffer.of(mark), Buffer.from(reason)])
}

/** Null for every other value. */
export function unreadableReason(value: Uint8Array): string | null {
  return value[0] === mark ? Buffer.from(value.subarray(1)).toString('utf8') : null
}
