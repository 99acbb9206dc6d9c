/**
 * Offsets of the HTTP feed: opaque tokens that sort as text in the order of reading. A token is the sum of the next
 * offsets of the partitions, padded, and these offsets where there are several: the sum rises with every record that is
 * read.
 */
import { invalidInput } from '@loomlog/errors/invalid-input'
import type { FeedPosition } from './feed-reader.ts'

const digits = 16

export function offsetOf(position: FeedPosition): string {
  const total = position.reduce((sum, offset) => sum + offset, 0)
  const sum = String(total).padStart(digits, '0')
  return position.length === 1 ? sum : `${sum}_${position.map((offset) => offset.toString(36)).join('-')}`
}

/** @throws LoomlogError `input-invalid` for a text that is no offset of a stream with this number of partitions */
export function positionFrom(offset: string, partitions: number): FeedPosition {
  const [, sum = '', , parts] = /^(\d{16})(_([\da-z]+(?:-[\da-z]+)*))?$/.exec(offset) ?? []
  const position = parts === undefined ? [Number(sum)] : parts.split('-').map((part) => Number.parseInt(part, 36))
  if (sum !== '' && position.length === partitions && offsetOf(position) === offset) return position
  throw invalidInput('offset', offset, '-1, now, or a Stream-Next-Offset of this stream')
}
