/**
 * Follows a feed over HTTP by long-poll, and appends its events to a file: `main.ts URL FILE`, with the key in
 * LOOMLOG_KEY. A line holds the events of one reply and the offset after them, so effect and offset are stored
 * together. An incomplete last line, which a kill leaves, is removed.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

interface FeedEvent {
  readonly type: string
  readonly change?: 'inserted' | 'retracted'
  readonly data: { readonly text?: string; readonly because?: string }
}

const [url = '', file = ''] = process.argv.slice(2)
const retryMs = 500

const stored = existsSync(file) ? readFileSync(file, 'utf8') : ''
const whole = stored.slice(0, stored.lastIndexOf('\n') + 1)
if (whole !== stored) writeFileSync(file, whole)
const last = whole.split('\n').at(-2)
let offset = last === undefined ? '-1' : (JSON.parse(last) as { offset: string }).offset

for (;;) {
  const reply = await fetch(`${url}?offset=${offset}&live=long-poll`, {
    headers: { authorization: `Bearer ${process.env.LOOMLOG_KEY}` },
  }).catch(() => null)
  if (reply === null || reply.status >= 500) await sleep(retryMs)
  else if (!reply.ok) throw new Error(`${reply.status}: ${await reply.text()}`)
  else {
    const events = reply.status === 200 ? ((await reply.json()) as readonly FeedEvent[]) : []
    offset = reply.headers.get('stream-next-offset') ?? offset
    if (events.length > 0) appendFileSync(file, `${JSON.stringify({ offset, events })}\n`)
    for (const { type, data } of events) {
      if (type.startsWith('loomlog.fact.')) console.log(type, JSON.stringify(data.text), data.because)
      if (type === 'loomlog.generation.switched') console.log(type)
    }
  }
}
