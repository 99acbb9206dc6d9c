/**
 * The header `Idempotency-Key` (IETF draft): a key that the writer makes for a request and sends again with each retry.
 * It gives the ids of the utterances that have none, so a retry finds them in the log. The same key with other content
 * is a conflict of ids.
 */
import { LoomlogError } from '@loomlog/errors'
import { formatValue } from '@loomlog/errors/invalid-input'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { hash } from '@loomlog/schemas/ids'
import type { FastifyRequest } from 'fastify'

export const maxIdempotencyKeyChars = 255
export const idempotencyKeyHeader = 'idempotency-key'

/**
 * Null: there is none. Quotes around the key, as the draft has them, are no part of it.
 * @throws LoomlogError `input-invalid`
 */
export function idempotencyKeyOf({ raw: { rawHeaders } }: Pick<FastifyRequest, 'raw'>): string | null {
  const [given, ...others] = rawHeaders.filter(
    (_, at, all) => at % 2 === 1 && all[at - 1]?.toLowerCase() === idempotencyKeyHeader,
  )
  if (given === undefined) return null
  if (others.length > 0)
    throw new LoomlogError('input-invalid', 'Idempotency-Key is given more than once: expected one')
  const key = /^"(.*)"$/.exec(given)?.[1] ?? given
  if (/^[\x20-\x7e]+$/.test(key) && key.trim() !== '' && key.length <= maxIdempotencyKeyChars) return key
  const expected = `1 to ${maxIdempotencyKeyChars} printable ASCII characters`
  throw new LoomlogError('input-invalid', `Idempotency-Key is ${formatValue(given)}: expected ${expected}`)
}

/** @param index of the item in the request */
export function idOfKey(key: string, index: number, { tenant, space }: SpaceAddress): string {
  return hash(['idempotency-key', tenant, space, key, index])
}
