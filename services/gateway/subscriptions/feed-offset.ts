/**
 * Offsets of the HTTP feed: opaque tokens that sort as text in the order of reading. A token is the sum of the next offsets of the partitions,
 * padded, and these offsets where there are several: the sum rises with every record that is read.
 */
import { invalidInput } from '@loomlog/errors/invalid-input'
import { RefusedRequest } from '../problem.ts'

/** The next offset of each partition that the stream has. */
export type FeedPosition = readonly number[]

const digits = 16

export function offsetOf(position: FeedPosition): string {
  const sum = String(total(position)).padStart(digits, '0')
  return position.length === 1 ? sum : `${sum}_${position.map((offset) => offset.toString(36)).join('-')}`
}

/** @throws LoomlogError `input-invalid` where it is no offset of a stream of this number of partitions */
export function positionFrom(offset: string, partitions: number): FeedPosition {
  const [, sum = '', , parts] = /^(\d{16})(_([\da-z]+(?:-[\da-z]+)*))?$/.exec(offset) ?? []
  const position = parts === undefined ? [Number(sum)] : parts.split('-').map((part) => Number.parseInt(part, 36))
  if (sum !== '' && position.length === partitions && offsetOf(position) === offset) return position
  throw invalidInput('offset', offset, '-1, now, or a Stream-Next-Offset of this stream')
}

export function total(position: FeedPosition): number {
  return position.reduce((sum, offset) => sum + offset, 0)
}

/** @throws RefusedRequest 410: the feed was replaced, and the reader begins again */
export function refuseBeyond(position: FeedPosition, ends: FeedPosition): void {
  if (position.every((next, at) => next <= (ends[at] ?? 0))) return
  throw new RefusedRequest(410, 'the offset is beyond the end: the feed was replaced; begin again at offset -1')
}
