/** The memory of a tenant in a log of this process. It derives nothing: that is the pipeline's work. */
import type { ImportingMemory } from '@loomlog/client/importing-memory'
import type { MemorySpace } from '@loomlog/client/memory'
import { invalidInput } from '@loomlog/errors/invalid-input'
import type { Host } from '@loomlog/host/open'
import type { ImportedEvent } from '@loomlog/intake/formats'
import { checkedAddress } from '@loomlog/intake/utterance'
import { RecallRecorder } from '@loomlog/recall/recall-recorder'
import { spaceKey } from '@loomlog/schemas/ids'
import { feedEvents } from './feed-events.ts'
import type { LogSpaceOptions, WithReading } from './log-space-options.ts'
import { shortLivedIntake, type WithIntake } from './short-lived-intake.ts'

type WithCall = <T>(work: () => Promise<T>) => Promise<T>

export interface LogMemoryOptions {
  readonly tenant: string
  /** Default: each call opens the views. */
  readonly withReading?: WithReading
  /** Runs a call, from its first step to its end. Default: at once. */
  readonly withCall?: WithCall
  /** Default: the index of known ids is open only while a call appends. */
  readonly withIntake?: WithIntake
  /** Reports served recalls that were not recorded, and why. */
  onDropped(count: number, why: string): void
}

export function logMemory(host: Host, options: LogMemoryOptions): ImportingMemory {
  const { tenant } = checkedAddress({ tenant: options.tenant, space: 'any' })
  const { log, codec, config } = host
  const { onDropped, withIntake = shortLivedIntake({ log, codec, dir: config.dir }) } = options
  const { withReading = readingOf(host, tenant), withCall = (work) => work() } = options
  const recalls = config.recalls === 'on' ? new RecallRecorder({ log, codec, onDropped }) : null
  async function close(): Promise<void> {
    await recalls?.close()
  }
  return {
    space: (name) => spaceOf(name, { host, tenant, recalls, withReading, withIntake, withCall }),
    async append(events, { tenant: named, ...options }) {
      const ofEvents = named ?? tenant
      requireTenant(ofEvents, events)
      return withIntake(async (intake) => {
        const counts = await intake.append(events, options)
        const positions: { [space: string]: string } = {}
        for (const space of new Set(events.map((event) => event.space)))
          positions[space] = await intake.positionIn(spaceKey(ofEvents, space))
        return { ...counts, positions }
      })
    },
    events: (options) => feedEvents(host, { tenant, spaces: null }, options),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function readingOf(host: Host, tenant: string): WithReading {
  return async (work, named) => {
    const { withReading } = await import('../generations/live.ts')
    return withReading(host, tenant, work, named)
  }
}

/** The first call that reads loads recall, some 40 MB. An append doesn't need it. */
function spaceOf(name: string, options: LogSpaceOptions & { readonly withCall: WithCall }): MemorySpace {
  const { host, tenant, withCall } = options
  const call = <T>(work: (space: MemorySpace) => Promise<T>) =>
    withCall(async () => work((await import('./log-space.ts')).logSpace(name, options)))
  return {
    name,
    add: (...given) => withCall(async () => (await import('./add-messages.ts')).addMessages(name, options, ...given)),
    recall: (...given) => call((space) => space.recall(...given)),
    context: (...given) => call((space) => space.context(...given)),
    correct: (...given) => call((space) => space.correct(...given)),
    retract: (...given) => call((space) => space.retract(...given)),
    forget: (...given) => call((space) => space.forget(...given)),
    forgetting: (...given) => call((space) => space.forgetting(...given)),
    why: (...given) => call((space) => space.why(...given)),
    impact: (...given) => call((space) => space.impact(...given)),
    list: (...given) => call((space) => space.list(...given)),
    document: (...given) => call((space) => space.document(...given)),
    useTool: (...given) => call((space) => space.useTool(...given)),
    end: (...given) => call((space) => space.end(...given)),
    events: (given) => feedEvents(host, { tenant, spaces: [name] }, given),
  }
}

/** @throws LoomlogError `input-invalid` for events of another tenant */
function requireTenant(tenant: string, events: readonly ImportedEvent[]): void {
  const other = events.find((event) => event.tenant !== tenant)
  if (other) throw invalidInput('the tenant of an event', other.tenant, `${tenant}, the tenant of this memory`)
}
