/** Writes a stream of texts into a file or to standard output, at the reader's pace. */
import type { Writable } from 'node:stream'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

/** @param signal rejects with its reason when it aborts */
export async function writeTexts(texts: AsyncIterable<string>, sink: Writable, signal: AbortSignal): Promise<void> {
  await pipeline(Readable.from(texts), sink, { end: isFile(sink), signal })
}

export async function writeGzipped(texts: AsyncIterable<string>, sink: Writable, signal: AbortSignal): Promise<void> {
  await pipeline(Readable.from(texts, { objectMode: false }), createGzip(), sink, { end: isFile(sink), signal })
}

/** Standard output stays open for others. */
function isFile(sink: Writable): boolean {
  return sink !== process.stdout
}
