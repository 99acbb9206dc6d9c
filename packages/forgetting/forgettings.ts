/** The forgettings of a space, folded from the topic `forgettings`, and the records that carry them on. */
import { partitionOf } from '@loomlog/log/partition'
import type {
  ForgettingRequested,
  ForgettingStatus,
  ForgettingStatusChanged,
  RecordsListed,
} from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import type { Selection } from './selection.ts'
import type { LogParts } from './space-history.ts'

export const forgettingsTopic = 'forgettings'

export interface Forgetting {
  readonly id: string
  readonly tenant: string
  readonly space: string
  readonly selection: Selection
  readonly by: string
  readonly principal: string | null
  readonly at: number
}

export interface ForgettingState {
  readonly id: string
  readonly tenant: string
  readonly space: string
  readonly status: ForgettingStatus
  /** Null: the request is destroyed. */
  readonly request: Forgetting | null
  /** The newest status of each step, by its name. */
  readonly steps: { readonly [status in ForgettingStatus]?: ForgettingStatusChanged }
  /** The parts of its first complete list; empty: there is none yet. */
  readonly list: readonly RecordsListed[]
}

type ForgettingEvent = ForgettingRequested | ForgettingStatusChanged | RecordsListed

/** In the order of their requests. */
export async function readForgettings(
  space: string,
  { log, codec, partitions }: LogParts,
): Promise<readonly ForgettingState[]> {
  const events: ForgettingEvent[] = []
  for await (const records of log.read({
    topic: forgettingsTopic,
    partitions: [partitionOf(space, partitions)],
    until: 'end',
  })) {
    for (const record of records) {
      const isOther = record.key !== null && record.key !== space
      const event = isOther ? null : ((await codec.decodeOrNull(record.value)) as ForgettingEvent | null)
      if (event !== null && spaceKey(event.tenant, event.space) === space) events.push(event)
    }
  }
  return foldForgettings(events)
}

function foldForgettings(events: readonly ForgettingEvent[]): readonly ForgettingState[] {
  const byId = Map.groupBy(events, (event) => (event.type === 'ForgettingRequested' ? event.id : event.forgetting))
  return [...byId.values()].map(stateOf)
}

function stateOf(events: readonly ForgettingEvent[]): ForgettingState {
  const [first] = events as [ForgettingEvent]
  const { tenant, space } = first
  const request = events.find((event) => event.type === 'ForgettingRequested')
  const changes = events.filter((event) => event.type === 'ForgettingStatusChanged')
  const lists = Map.groupBy(
    events.filter((event) => event.type === 'RecordsListed'),
    ({ list }) => list,
  )
  const list = [...lists.values()].find((parts) => parts.length === parts[0]?.parts) ?? []
  return {
    id: first.type === 'ForgettingRequested' ? first.id : first.forgetting,
    tenant,
    space,
    status: changes.at(-1)?.status ?? 'requested',
    request: request === undefined ? null : forgettingOf(request),
    steps: Object.fromEntries(changes.map((change) => [change.status, change])),
    list: list.toSorted((a, b) => a.part - b.part),
  }
}

function forgettingOf(event: ForgettingRequested): Forgetting {
  const { id, tenant, space, by, principal, at } = event
  const { utterances, speaker, conversation, from, to, appendedBefore, everything } = event
  return {
    id,
    tenant,
    space,
    by,
    principal,
    at,
    selection: { utterances, speaker, conversation, from, to, appendedBefore, everything },
  }
}

export function requestEvent({ selection, ...forgetting }: Forgetting): ForgettingRequested {
  return { type: 'ForgettingRequested', ...forgetting, ...selection, keyId: null }
}

/**
 * Durable on return. A request has the key of its space, and is destroyed with it. The other records name nothing that
 * is forgotten, and stay: without that key.
 */
export async function appendForgettingEvents(
  events: readonly ForgettingEvent[],
  { log, codec, partitions }: LogParts,
): Promise<void> {
  for (const event of events) {
    const space = spaceKey(event.tenant, event.space)
    const place =
      event.type === 'ForgettingRequested' ? { key: space } : { key: null, partition: partitionOf(space, partitions) }
    await log.append(forgettingsTopic, [{ ...place, value: codec.encode(event), timestamp: Date.now() }])
  }
}
