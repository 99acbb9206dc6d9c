/**
 * POST …/utterances with `application/x-ndjson`: a stream of utterances, one a line. They are appended in batches while
 * the stream arrives. Reading waits for each append, and is no faster than the caller's rate of bytes. If the stream
 * ends with an error, the batches before the error are in the log, and the whole stream may be sent again.
 */
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { problemIn } from '../json-body.ts'
import { maxBodyBytes } from '../limits.ts'
import { faultyBody } from '../problem.ts'
import { type AppendAddress, acceptUtterances, maxUtterances } from './accept-utterances.ts'
import type { RouteParts } from './route-parts.ts'

export interface AppendedStream {
  readonly appended: number
  readonly known: number
}

interface Batch {
  readonly items: unknown[]
  bytes: number
}

export interface StreamParts extends Pick<RouteParts, 'intake'> {
  /** Waits for the append of a batch for a bounded time. @throws LoomlogError `log-unavailable` after that */
  awaitAppend<T>(work: Promise<T>): Promise<T>
  /** Bytes that the request was admitted with. */
  readonly announced: number
  /** Counts further bytes. Returns how long to wait before more is read, in ms. */
  charge(bytes: number): number
}

/** @throws LoomlogError with the line; batches before it are in the log */
export async function acceptStream(
  lines: Readable,
  address: AppendAddress,
  { intake, awaitAppend, ...rate }: StreamParts,
): Promise<AppendedStream> {
  const total = { appended: 0, known: 0 }
  let lineOfFirst = 0
  const batch: Batch = { items: [], bytes: 0 }
  async function flush(): Promise<void> {
    const { items } = batch
    const { appended, known } = await awaitAppend(
      acceptUtterances(items, { ...address, itemsBefore: lineOfFirst }, intake),
    ).catch((error) => {
      throw withLineNumbers(error, lineOfFirst, total)
    })
    total.appended += appended
    total.known += known
    lineOfFirst += items.length
    items.length = 0
    batch.bytes = 0
  }
  for await (const line of linesOf(chargeChunks(lines, rate))) {
    batch.items.push(parseLine(line, lineOfFirst + batch.items.length))
    batch.bytes += line.length
    if (batch.items.length === maxUtterances || batch.bytes >= maxBodyBytes) await flush()
  }
  if (batch.items.length > 0) await flush()
  if (lineOfFirst === 0) throw new LoomlogError('input-invalid', 'the stream has no utterance: expected one a line')
  return total
}

/** Charges bytes when they arrive, so that blank lines and refused lines count too. */
async function* chargeChunks(
  stream: Readable,
  { announced, charge }: Pick<StreamParts, 'announced' | 'charge'>,
): AsyncGenerator<Buffer> {
  let prepaid = announced
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const waitMs = charge(Math.max(0, chunk.length - prepaid))
    prepaid = Math.max(0, prepaid - chunk.length)
    if (waitMs > 0) await sleep(waitMs)
    yield chunk
  }
}

/** The lines that are not blank. @throws LoomlogError `record-too-large` */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
      const line = rest.subarray(0, end)
      rest = rest.subarray(end + 1)
      if (!isBlank(line)) yield line
    }
    if (rest.length > maxBodyBytes)
      throw new LoomlogError('record-too-large', `a line has more than ${maxBodyBytes} bytes`)
  }
  if (!isBlank(rest)) yield rest
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09)
}

/** @param index of the line among those that are not blank */
function parseLine(line: Buffer, index: number): unknown {
  const problem = problemIn(line)
  if (problem !== null) throw faultyBody('input-invalid', [{ pointer: `/${index}`, detail: problem }])
  try {
    return JSON.parse(line.toString())
  } catch {
    throw faultyBody('input-invalid', [{ pointer: `/${index}`, detail: 'the line is no JSON' }])
  }
}

/** The error with pointers that count the lines of the whole stream, not of the batch. */
function withLineNumbers(error: unknown, first: number, { appended, known }: AppendedStream): unknown {
  if (!isLoomlogError(error) || error.errors === undefined || first === 0) return error
  const faults = error.errors.map(({ pointer, detail }) => {
    const [, index = '0', ...field] = pointer.split('/')
    return { pointer: ['', Number(index) + first, ...field].join('/'), detail }
  })
  const before = { pointer: '', detail: `the ${appended + known} utterances before are in the log` }
  return faultyBody(error.code, [...faults, before])
}
