/**
 * CRC-32C (Castagnoli), the checksum of every batch. Node's own crc32 has another polynomial. Takes four bytes a turn, by four tables,
 * since it runs over everything that is written and read.
 */
const polynomial = 0x82f63b78

const tables = [tableOf(null)]
for (const before of [0, 1, 2]) tables.push(tableOf(tables[before] as Int32Array))
const [last, third, second, first] = tables as [Int32Array, Int32Array, Int32Array, Int32Array]

/** Of the bytes from `from` to `to`, as an unsigned number. */
export function crc32c(bytes: Uint8Array, from: number, to: number): number {
  let crc = -1
  let at = from
  for (; at + 4 <= to; at += 4) {
    const a = (bytes[at] as number) ^ (crc & 0xff)
    const b = (bytes[at + 1] as number) ^ ((crc >>> 8) & 0xff)
    const c = (bytes[at + 2] as number) ^ ((crc >>> 16) & 0xff)
    const d = (bytes[at + 3] as number) ^ (crc >>> 24)
    crc = (first[a] as number) ^ (second[b] as number) ^ (third[c] as number) ^ (last[d] as number)
  }
  for (; at < to; at++) crc = (last[(crc ^ (bytes[at] as number)) & 0xff] as number) ^ (crc >>> 8)
  return ~crc >>> 0
}

/** The effect of each byte on the checksum; with the table before it, the effect one byte later. */
function tableOf(before: Int32Array | null): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    if (before) return oneByte(before[byte] as number)
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = shifted(crc)
    return crc
  })
}

function oneByte(crc: number): number {
  let result = crc
  for (let bit = 0; bit < 8; bit++) result = shifted(result)
  return result
}

function shifted(crc: number): number {
  return crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1
}
