/**
 * The value of a record whose bytes can't be read: a batch with a wrong checksum, or packed in an unknown way. Readers get it in the
 * record's place, so that it is decoded, refused and parked as every other garbage is, with the reason why.
 */

/** No record in Confluent wire format begins with this byte; schemas/codec.ts knows it. */
const mark = 0xff

export function unreadableValue(reason: string): Uint8Array {
  return Buffer.concat([Buffer.of(mark), Buffer.from(reason)])
}

/** Null for bytes of another kind. */
export function reasonUnreadable(value: Uint8Array): string | null {
  return value[0] === mark ? Buffer.from(value.subarray(1)).toString('utf8') : null
}
