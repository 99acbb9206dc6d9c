/** Sends fuzzed requests to a gateway, several at a time, and judges every reply. */
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { bytesOf, fuzzRequest, type Random } from './fuzz-requests.ts'

export interface FuzzResult {
  /** The number of replies, by status. */
  readonly statuses: { readonly [status: string]: number }
  /** The first replies that break the promise, each with its request. */
  readonly broken: readonly string[]
}

/** Longer than the deadline of any request that the fuzz makes. */
const hangMs = 60_000
const sideBySide = 8
const mostNamed = 10

export async function fuzz(
  port: number,
  { count, random }: { readonly count: number; readonly random: Random },
): Promise<FuzzResult> {
  const statuses: { [status: string]: number } = {}
  const broken: string[] = []
  let sent = 0
  async function client(): Promise<void> {
    while (sent < count) {
      sent += 1
      const bytes = bytesOf(fuzzRequest(random))
      const answer = await replyTo(port, bytes)
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 'none'
      statuses[status] = (statuses[status] ?? 0) + 1
      const fault = faultOf(status, answer)
      if (fault !== null && broken.length < mostNamed) {
        broken.push(`${fault}: ${JSON.stringify(bytes.toString('latin1').slice(0, 600))} -> ${answer.slice(0, 600)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: sideBySide }, client))
  return { statuses, broken }
}

function faultOf(status: string, answer: string): string | null {
  if (status === 'none') return 'no answer'
  if (status === '503') return /^retry-after: /im.test(answer) ? null : '503 without Retry-After'
  if (status >= '500') return 'a failure of the server'
  if (status >= '400' && !/^content-type: application\/problem\+json/im.test(answer))
    return 'a refusal without problem details'
  return null
}

async function replyTo(port: number, bytes: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const timer = setTimeout(() => socket.destroy(), hangMs)
  socket.on('error', () => {})
  socket.write(bytes)
  return await textOf(socket)
    .catch(() => '')
    .finally(() => clearTimeout(timer))
}
