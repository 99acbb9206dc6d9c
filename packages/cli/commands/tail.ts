/**
 * `loomlog tail TOPIC`: a topic's events as JSON lines, from the start, and with --follow as they arrive.
 * `memory-events` is printed as the feed of the tenant, and any other topic record by record, without those from before
 * a forgetting that is under way.
 */

import { servingOf } from '@loomlog/app/generations/live'
import type { EventOptions, Memory } from '@loomlog/client/memory'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { printJson } from '../print.ts'

export { feedTopic } from '@loomlog/feed/feed-message'

export interface TailCommand {
  readonly topic: string
  readonly until: 'end' | 'follow'
  /** Default: the live generation of everyone. */
  readonly generation?: string
}

export async function printFeed(memory: Memory, options: EventOptions): Promise<void> {
  for await (const event of memory.events(options)) printJson(event)
}

export async function tail({ topic, until, ...of }: TailCommand, host: Host, signal: AbortSignal): Promise<void> {
  const spec = host.topics.find((known) => known.name === topic)
  if (!spec) {
    const names = host.topics.map((known) => known.name).join(', ')
    throw new LoomlogError('topic-unknown', `there is no topic ${topic}: expected one of ${names}`)
  }
  const source = spec.derivedFrom === null ? spec.name : (await servingOf(host, of)).topic(spec)
  for await (const records of host.log.read({ topic: source, until, signal })) {
    const beginnings = new Map<string | null, number>()
    for (const key of new Set(records.flatMap((record) => record.key ?? [])))
      beginnings.set(key, await host.pendingForgettings.beginningOf(key, source))
    for (const record of records) {
      const { partition, offset, key } = record
      if (offset < (beginnings.get(key) ?? 0)) continue
      printJson({ topic: source, partition, offset, key, ...(await shown(record.value, host)) })
    }
  }
}

/** Bytes that can't be decoded are printed as base64. */
async function shown(value: Uint8Array, { codec }: Host): Promise<object> {
  try {
    return { event: readable(await codec.decode(value)) }
  } catch (error) {
    if (!isLoomlogError(error)) throw error
    return { undecodable: error.message, value: Buffer.from(value).toString('base64') }
  }
}

/** Bytes as base64, which JSON can hold. */
function readable(event: object): object {
  const entries = Object.entries(event).map(([name, value]) =>
    value instanceof Uint8Array ? [name, Buffer.from(value).toString('base64')] : [name, value],
  )
  return Object.fromEntries(entries)
}
