/**
 * Generations under kills: defining, starting and promoting one, deriving one beside the live one, retiring and
 * removing one. Each is killed at every named point. The live generation stays the same, and a removed one leaves no
 * data, under any name that the log has for it.
 */
import { join } from 'node:path'
import { topicAndGroupNames } from '../kafka/topic-and-group-names.ts'
import { type Fixture, fixture } from '../pipeline/fixture.ts'
import { testKilledGeneration } from '../pipeline/killed-generation.ts'
import { testKilledPromotion } from '../pipeline/killed-promotion.ts'
import type { Scenario, Setting, Verdict } from './scenario.ts'

const utterances = 40

export const generations: Scenario = {
  name: 'generations',
  logs: ['sqlite', 'kafka'],
  nodes: 1,
  description: 'killed at every named point of deriving, promoting and removing a generation',
  run: killedGenerations,
}

async function killedGenerations(setting: Setting): Promise<Verdict> {
  const closing: (() => Promise<unknown>)[] = []
  try {
    const made = await fixture({ after: (close) => closing.push(close) }, utterances)
    const moved = withOwnLog(made, setting, 'moved')
    await testKilledPromotion({ ...moved.environment, LOOMLOG_DIR: join(made.dir, 'moved') })
    setting.say('the promotion survived every kill')
    const { kafka } = setting
    const names = kafka === null ? undefined : () => topicAndGroupNames(kafka.brokers)
    await testKilledGeneration(withOwnLog(made, setting, 'life'), join(made.dir, 'life'), names)
    return { isKept: true, details: { utterances } }
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

/** The fixture on a log of its own: on Kafka both logs share the cluster. */
function withOwnLog(made: Fixture, { log }: Setting, name: string): Fixture {
  const own =
    log.LOOMLOG_LOG === 'kafka' ? { LOOMLOG_KAFKA_ENVIRONMENT: `${log.LOOMLOG_KAFKA_ENVIRONMENT}-${name}` } : {}
  return { ...made, environment: { ...made.environment, ...log, ...own } }
}
