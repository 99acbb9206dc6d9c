/** The memory of a tenant in a log of this process. It derives nothing: that is the pipeline's work. */
import type { Memory, MemorySpace } from '@loomlog/client/memory'
import { invalidInput } from '@loomlog/errors/invalid-input'
import type { Host } from '@loomlog/host/open'
import type { ImportedEvent } from '@loomlog/intake/formats'
import { checkedAddress } from '@loomlog/intake/utterance'
import { RecallRecorder } from '@loomlog/recall/recall-recorder'
import { spaceKey } from '@loomlog/schemas/ids'
import { feedEvents } from './feed-events.ts'
import type { LogSpaceOptions } from './log-space.ts'
import { shortLivedIntake } from './short-lived-intake.ts'

export interface LogMemoryOptions {
  readonly tenant: string
  /** Reports served recalls that were not recorded, and why. */
  onDropped(count: number, why: string): void
}

export function logMemory(host: Host, { tenant: named, onDropped }: LogMemoryOptions): Memory {
  const { tenant } = checkedAddress({ tenant: named, space: 'any' })
  const { log, codec, config } = host
  const recalls = config.recalls === 'on' ? new RecallRecorder({ log, codec, onDropped }) : null
  const withIntake = shortLivedIntake({ log, codec, dir: config.dir })
  return {
    space: (name) => spaceOf(name, { host, tenant, recalls, withIntake }),
    async append(events, options) {
      requireTenant(tenant, events)
      return withIntake(async (intake) => {
        const counts = await intake.append(events, options)
        const positions: { [space: string]: string } = {}
        for (const space of new Set(events.map((event) => event.space)))
          positions[space] = await intake.positionIn(spaceKey(tenant, space))
        return { ...counts, positions }
      })
    },
    events: (reading) => feedEvents(host, tenant, reading),
    async close() {
      await recalls?.close()
    },
  }
}

/** The first call loads recall, some 40 MB. An append doesn't need it. */
function spaceOf(name: string, options: LogSpaceOptions): MemorySpace {
  const space = async () => (await import('./log-space.ts')).logSpace(name, options)
  return {
    recall: async (...given) => (await space()).recall(...given),
    context: async (...given) => (await space()).context(...given),
    correct: async (...given) => (await space()).correct(...given),
    retract: async (...given) => (await space()).retract(...given),
    why: async (...given) => (await space()).why(...given),
    impact: async (...given) => (await space()).impact(...given),
    useTool: async (...given) => (await space()).useTool(...given),
  }
}

/** @throws LoomlogError `input-invalid` for events of another tenant */
function requireTenant(tenant: string, events: readonly ImportedEvent[]): void {
  const other = events.find((event) => event.tenant !== tenant)
  if (other) throw invalidInput('the tenant of an event', other.tenant, `${tenant}, the tenant of this memory`)
}
