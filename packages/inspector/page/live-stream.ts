/**
 * Reads a stream of the server live, by server-sent events over `fetch`, since an EventSource sends no key. Resumes
 * where it stopped after a failure. A hidden tab reads nothing: browsers share few connections among tabs.
 */
import type { Session } from './session.ts'

export type StreamState = 'live' | 'paused' | 'away'

export interface StreamReader<Item> {
  readonly path: string
  readonly session: Session
  readonly signal: AbortSignal
  onItems(items: readonly Item[]): void
  onState(state: StreamState): void
  /** The stream was replaced, and begins again. */
  onReplaced(): void
}

const retryMs = [300, 1_000, 3_000, 8_000]

export async function followStream<Item>(reader: StreamReader<Item>): Promise<void> {
  const { signal, onState } = reader
  let offset = 'now'
  let failures = 0
  while (!signal.aborted) {
    if (document.hidden) {
      onState('paused')
      await untilVisible(signal)
      continue
    }
    const hidden = new AbortController()
    const look = () => document.hidden && hidden.abort()
    document.addEventListener('visibilitychange', look)
    try {
      offset = await readOnce(reader, offset, AbortSignal.any([signal, hidden.signal]), (next) => {
        offset = next
        failures = 0
      })
    } catch (error) {
      if (error instanceof StreamReplaced) {
        offset = 'now'
        reader.onReplaced()
      } else if (!signal.aborted && !hidden.signal.aborted) {
        onState('away')
        await sleep(retryMs[Math.min(failures++, retryMs.length - 1)] ?? 0, signal)
      }
    } finally {
      document.removeEventListener('visibilitychange', look)
    }
  }
}

class StreamReplaced extends Error {}

/** One connection, until the server closes it. Returns the last offset. */
async function readOnce<Item>(
  { path, session, onItems, onState }: StreamReader<Item>,
  from: string,
  signal: AbortSignal,
  onOffset: (offset: string) => void,
): Promise<string> {
  const separator = path.includes('?') ? '&' : '?'
  const url = `${path}${separator}live=sse&offset=${encodeURIComponent(from)}`
  const response = await fetch(url, { headers: session.headers, signal, cache: 'no-store' })
  if (response.status === 410) throw new StreamReplaced()
  if (!response.ok || response.body === null) throw new Error(`the stream answers ${response.status}`)
  onState('live')
  let offset = from
  let items: readonly Item[] = []
  for await (const { event, data } of serverSentEvents(response.body)) {
    if (event === 'data') items = JSON.parse(data)
    if (event !== 'control') continue
    offset = JSON.parse(data).streamNextOffset
    onOffset(offset)
    if (items.length > 0) onItems(items)
    items = []
  }
  return offset
}

async function* serverSentEvents(body: ReadableStream<Uint8Array>) {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (text + value).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) yield eventIn(block)
  }
}

function eventIn(block: string): { readonly event: string; readonly data: string } {
  const lines = block.split('\n')
  const event =
    lines
      .find((line) => line.startsWith('event:'))
      ?.slice(6)
      .trim() ?? ''
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5))
  return { event, data: data.join('\n') }
}

function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return
      document.removeEventListener('visibilitychange', look)
      resolve()
    }
    document.addEventListener('visibilitychange', look)
    signal.addEventListener('abort', look, { once: true })
  })
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
