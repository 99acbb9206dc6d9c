/**
 * The records of a topic as CloudEvents 1.0 in JSON. The feed has its own envelope; that of another topic's record has
 * the record as its data, and its place in the log.
 */
import { LoomlogError } from '@loomlog/errors'
import { formatValue } from '@loomlog/errors/invalid-input'
import type { Host } from '@loomlog/host/open'
import { offsetAfterForgetting } from '@loomlog/intake/last-forgetting'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { partitionOf } from '@loomlog/log/partition'
import type { LogEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import type { TopicSpec } from '@loomlog/topics/catalogue'
import { servingOf } from '../generations/live.ts'

/** @throws LoomlogError `topic-unknown`; `input-invalid` for a topic whose records belong to no space */
export function topicOfSpaces({ topics }: Pick<Host, 'topics'>, name: string): TopicSpec {
  const spaceTopics = topics.filter(({ partitioning, name }) => partitioning === 'space' && name !== 'webhooks')
  const spec = spaceTopics.find((known) => known.name === name)
  if (spec !== undefined) return spec
  const names = spaceTopics.map((known) => known.name).join(', ')
  if (topics.some((known) => known.name === name))
    throw new LoomlogError(
      'input-invalid',
      `--topic is ${name}, whose records belong to no space: expected one of ${names}`,
    )
  throw new LoomlogError('topic-unknown', `--topic is ${formatValue(name)}: expected one of ${names}`)
}

/**
 * Lines of JSON, in the order of the space, since its last forgetting.
 * @param onUnreadable a record that can't be decoded is left out
 * @throws LoomlogError `views-behind` while a forgetting is under way, and if one was during the export
 */
export async function* cloudEventsOf(
  host: Host,
  { spec, place, onUnreadable }: { readonly spec: TopicSpec; readonly place: SpaceAddress; onUnreadable(): void },
): AsyncGenerator<string> {
  const { tenant, space } = place
  const key = spaceKey(tenant, space)
  const requireNoForgetting = await host.pendingForgettings.requireNoneFromNow(key)
  const topic = spec.derivedFrom === null ? spec.name : (await servingOf(host, { tenant })).topic(spec)
  const source = `/tenants/${encodeURIComponent(tenant)}/spaces/${encodeURIComponent(space)}/topics/${topic}`
  const { log, codec, partitions } = host
  const partition = partitionOf(key, partitions)
  const from = new Map([[partition, await offsetAfterForgetting({ log, codec }, { topic, key, partitions })]])
  for await (const records of log.read({ topic, partitions: [partition], from, until: 'end' })) {
    await requireNoForgetting()
    for (const record of records) {
      if (record.key !== key) continue
      const event = await host.codec.decodeOrNull(record.value)
      if (event === null) onUnreadable()
      else yield `${JSON.stringify(cloudEventOf(event, { ...record, source, tenant, space }))}\n`
    }
  }
  await requireNoForgetting()
}

interface RecordPlace extends SpaceAddress {
  readonly source: string
  readonly partition: number
  readonly offset: number
  readonly timestamp: number
}

function cloudEventOf(event: LogEvent, { source, tenant, space, partition, offset, timestamp }: RecordPlace): object {
  const { type, ...record } = event
  return {
    specversion: '1.0',
    id: idOf(event) ?? `${partition}@${offset}`,
    source,
    type: `loomlog.record.${type}`,
    time: new Date(timestamp).toISOString(),
    tenant,
    space,
    position: `${partition}@${offset}`,
    datacontenttype: 'application/json',
    data: readable(record),
  }
}

/** A repeated record has the id of the first one: it means the same. */
function idOf(event: LogEvent): string | null {
  if (event.type === 'AnswerRecorded') return (event as { readonly key: string }).key
  return 'id' in event ? event.id : null
}

/** Bytes as base64, which JSON can hold. */
function readable(record: object): object {
  const entries = Object.entries(record).map(([name, value]) =>
    value instanceof Uint8Array ? [name, Buffer.from(value).toString('base64')] : [name, value],
  )
  return Object.fromEntries(entries)
}
