/** The bytes of an archive, gzipped or plain: its beginning, by which it is recognised, and its lines. */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { LoomlogError } from '@loomlog/errors'
import { archiveFormat } from './archive.ts'

export interface FileLine {
  readonly number: number
  /** Without the line break. */
  readonly bytes: Buffer
}

/**
 * A record holds a million bytes, and JSON writes a byte as up to six characters. The limit also keeps a small file
 * that inflates to a huge line out of memory.
 */
const maxLineBytes = 8_000_000
const lineBreak = 0x0a
const beginning = Buffer.from(`{"format":"${archiveFormat}"`)
const sniffedBytes = 4_096
/** The smallest that zlib takes, and more than the beginning. */
const unpackedBytes = 64
const gzipMagic = Buffer.from([0x1f, 0x8b])

/**
 * Whether the file begins as an archive of any version, also if the rest is cut. False for a file that can't be read,
 * whose fault another reader names; and for a pipe, which can be read once only.
 */
export async function isArchive(file: string): Promise<boolean> {
  try {
    if (!(await stat(file)).isFile()) return false
    const bytes = await firstBytes(file, sniffedBytes)
    const text = isGzip(bytes) ? await firstUnpacked(bytes) : bytes
    return text.subarray(0, beginning.length).equals(beginning)
  } catch {
    return false
  }
}

/** The rest of the gzip may be cut or damaged. */
async function firstUnpacked(bytes: Buffer): Promise<Buffer> {
  const gunzip = createGunzip({ chunkSize: unpackedBytes })
  gunzip.end(bytes)
  const [first = Buffer.alloc(0)] = await Promise.race([once(gunzip, 'data'), once(gunzip, 'end')])
  gunzip.destroy()
  return first
}

function isGzip(bytes: Buffer): boolean {
  return bytes.subarray(0, gzipMagic.length).equals(gzipMagic)
}

/** @throws LoomlogError `input-invalid`, with the line, for a damaged gzip and for a line that is too long */
export async function* linesOf(file: string): AsyncGenerator<FileLine> {
  const isPacked = isGzip(await firstBytes(file, gzipMagic.length))
  const read = createReadStream(file)
  // The callback has nothing to do: an error of either stream ends the iteration.
  const source = isPacked ? pipeline(read, createGunzip(), () => {}) : read
  let number = 1
  let rest: Buffer[] = []
  let restBytes = 0
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      let start = 0
      for (let end = chunk.indexOf(lineBreak); end !== -1; end = chunk.indexOf(lineBreak, start)) {
        yield { number, bytes: Buffer.concat([...rest, chunk.subarray(start, end)]) }
        number += 1
        rest = []
        restBytes = 0
        start = end + 1
      }
      rest.push(chunk.subarray(start))
      restBytes += chunk.length - start
      if (restBytes > maxLineBytes)
        throw new LoomlogError('input-invalid', `${file}:${number}: the line is longer than ${maxLineBytes} bytes`)
    }
  } catch (cause) {
    throw isGzipFault(cause) ? damaged(file, number, cause) : cause
  }
  if (restBytes > 0) yield { number, bytes: Buffer.concat(rest) }
}

async function firstBytes(file: string, bytes: number): Promise<Buffer> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

function isGzipFault(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}

function damaged(file: string, line: number, cause: Error): LoomlogError {
  return new LoomlogError('input-invalid', `${file}:${line}: the gzip is damaged or cut: ${cause.message}`, { cause })
}
