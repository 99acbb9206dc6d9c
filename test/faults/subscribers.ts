/**
 * Subscribers of the feed, each killed 50 times: Durable Streams over HTTP, webhooks and, on Kafka, a consumer group.
 */
import { testKilledSubscribers } from '../pipeline/subscribers/killed-subscribers.ts'
import type { Scenario } from './scenario.ts'

const fewestKills = 50

export const subscribers: Scenario = {
  name: 'subscribers',
  logs: ['sqlite', 'kafka'],
  nodes: 1,
  description: `subscribers of every kind are killed ${fewestKills} times (or --kills, if more), through a promotion and a rollback: every event once, in order`,
  async run({ log, sessionMs, random, kills, say }) {
    const closing: (() => Promise<unknown>)[] = []
    const chance = (below: number) => Math.floor(random() * below)
    const scope = { after: (close: () => Promise<unknown>) => void closing.push(close), diagnostic: say }
    try {
      const most = Math.max(fewestKills, kills)
      const events = await testKilledSubscribers(scope, { kills: most, log, sessionMs, chance, say })
      return { isKept: true, details: { kills: most, events } }
    } finally {
      for (const close of closing.reverse()) await close()
    }
  },
}
