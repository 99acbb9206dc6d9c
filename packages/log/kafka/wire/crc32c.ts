/**
 * CRC-32C (Castagnoli), the checksum of every batch; Node's own crc32 has another polynomial. It covers every byte that
 * is written or read, so each step takes eight bytes (slicing-by-8), which is twice as fast as four.
 */
const polynomial = 0x82f63b78
const bytesOfAStep = 8
const entries = 256

/** For each place among the bytes of a step, the last one first: the effect of each byte on the checksum. */
const effects = new Int32Array(bytesOfAStep * entries)
for (let at = 0; at < effects.length; at++)
  effects[at] = afterOneByte(at < entries ? at : (effects[at - entries] as number))

/** Of the bytes from `from` to `to`, as an unsigned number. */
export function crc32c(bytes: Uint8Array, from: number, to: number): number {
  let crc = -1
  let at = from
  for (; at + bytesOfAStep <= to; at += bytesOfAStep) {
    crc =
      effect(7, byte(bytes, at) ^ (crc & 0xff)) ^
      effect(6, byte(bytes, at + 1) ^ ((crc >>> 8) & 0xff)) ^
      effect(5, byte(bytes, at + 2) ^ ((crc >>> 16) & 0xff)) ^
      effect(4, byte(bytes, at + 3) ^ (crc >>> 24)) ^
      effect(3, byte(bytes, at + 4)) ^
      effect(2, byte(bytes, at + 5)) ^
      effect(1, byte(bytes, at + 6)) ^
      effect(0, byte(bytes, at + 7))
  }
  for (; at < to; at++) crc = effect(0, (crc ^ byte(bytes, at)) & 0xff) ^ (crc >>> 8)
  return ~crc >>> 0
}

function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] as number
}

/** @param followers the number of bytes after this one in the step */
function effect(followers: number, value: number): number {
  return effects[followers * entries + value] as number
}

function afterOneByte(crc: number): number {
  let result = crc
  for (let bit = 0; bit < 8; bit++) result = result & 1 ? (result >>> 1) ^ polynomial : result >>> 1
  return result
}
