import { test } from 'node:test'
import { seededChance } from '../../../services/publisher/random-history.ts'
import { testKilledSubscribers } from './killed-subscribers.ts'

test('killed subscribers have every event once and in order, through a promotion and a rollback', async (t) => {
  const chance = seededChance(t)
  const log = { LOOMLOG_LOG: 'sqlite' }
  await testKilledSubscribers(t, { kills: 4, log, sessionMs: 500, chance, say: (text) => t.diagnostic(text) })
})
