/** The memory of a tenant in a log of this process. It derives nothing: that is the pipeline's work. */
import type { Memory } from '@loomlog/client/memory'
import type { Host } from '@loomlog/host/open'
import { Intake } from '@loomlog/intake/append'
import { checkedAddress } from '@loomlog/intake/utterance'
import { RecallRecorder } from '@loomlog/recall/recall-recorder'
import { spaceKey } from '@loomlog/schemas/ids'
import { feedEvents } from './feed-events.ts'
import { logSpace } from './log-space.ts'

export interface LogMemoryOptions {
  readonly tenant: string
  /** Reports served recalls that were not recorded, and why. */
  onDropped(count: number, why: string): void
}

export function logMemory(host: Host, { tenant: named, onDropped }: LogMemoryOptions): Memory {
  const { tenant } = checkedAddress({ tenant: named, space: 'any' })
  const { log, codec, config } = host
  const recalls = config.recalls === 'on' ? new RecallRecorder({ log, codec, onDropped }) : null
  let opened: Intake | null = null
  const intake = () => {
    opened ??= new Intake({ log, codec, dir: config.dir })
    return opened
  }
  return {
    space: (name) => logSpace(name, { host, tenant, recalls, intake }),
    async append(events, options) {
      const counts = await intake().append(events, options)
      const positions: { [space: string]: string } = {}
      for (const space of new Set(events.map((event) => event.space)))
        positions[space] = await intake().positionIn(spaceKey(tenant, space))
      return { ...counts, positions }
    },
    events: (reading) => feedEvents(host, tenant, reading),
    async close() {
      await recalls?.close()
      await opened?.close()
    },
  }
}
