/**
 * The readers of the benchmark, in a process of their own: each follows the feed of one space by SSE, and counts its
 * positions.
 */
import { get, type IncomingMessage } from 'node:http'
import { Positions } from './positions.ts'

interface Message {
  readonly space: string
  readonly data: { readonly position: number; readonly score: number }
}

const [url = '', readers = '0', spaces = '1'] = process.argv.slice(2)
const latencies: number[] = []
let ready = 0
let isOver = false

class Reader {
  readonly positions = new Positions()
  readonly #url: string
  #offset = '-1'
  #text = ''

  constructor(space: string) {
    this.#url = `${url}/v1/spaces/${space}/feed`
  }

  /** Reconnects at the last offset when a connection ends. */
  async follow(): Promise<void> {
    while (!isOver) {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        get(`${this.#url}?offset=${this.#offset}&live=sse`, { agent: false }, resolve).on('error', reject)
      })
      for await (const part of response) this.#take(String(part), Date.now())
    }
  }

  #take(part: string, now: number): void {
    const frames = `${this.#text}${part}`.split('\n\n')
    this.#text = frames.pop() ?? ''
    for (const frame of frames) {
      const line = frame.split('\ndata:')[1] ?? ''
      if (frame.startsWith('event: data')) this.#count(JSON.parse(line) as readonly Message[], now)
      if (!frame.startsWith('event: control')) continue
      if (this.#offset === '-1') ready += 1
      this.#offset = (JSON.parse(line) as { streamNextOffset: string }).streamNextOffset
    }
  }

  #count(messages: readonly Message[], now: number): void {
    for (const { data } of messages) {
      this.positions.take(data.position)
      latencies.push(now - data.score)
    }
  }
}

const all = Array.from({ length: Number(readers) }, (_, n) => new Reader(`s${n % Number(spaces)}`))
for (const reader of all) void reader.follow().catch(() => process.exit(1))

process.on('message', (message) => {
  if (message === 'ready?') process.send?.({ ready })
  if (message !== 'end') return
  isOver = true
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  const sum = (count: 'received' | 'gaps' | 'repeated') => all.reduce((sum, { positions }) => sum + positions[count], 0)
  const counts = { received: sum('received'), gaps: sum('gaps'), repeated: sum('repeated') }
  process.send?.({ ...counts, p50: at(0.5), p99: at(0.99), most: at(1) }, () => process.exit(0))
})
