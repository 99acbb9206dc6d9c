/** Tests on a real Kafka that are too slow for every run, and the traps of its client. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Scenario, Setting, Verdict } from './scenario.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const tests = ['packages/log/kafka/*.kafka-test.ts', 'packages/log/kafka/traps.test.ts']

export const traps: Scenario = {
  name: 'traps',
  logs: ['kafka'],
  nodes: 1,
  description: 'overlapping transactions, slow handlers, lost copies of state, a broker that dies under the log',
  run: runTraps,
}

async function runTraps({ log }: Setting): Promise<Verdict> {
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', ...tests], {
    cwd: root,
    env: {
      ...process.env,
      LOOMLOG_TEST_BROKERS: log.LOOMLOG_KAFKA_BROKERS,
      LOOMLOG_TEST_REGISTRY: log.LOOMLOG_REGISTRY_URL,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (data) => (output += data))
  const code = await new Promise((resolve) => child.on('close', resolve))
  const count = (word: string) => Number(new RegExp(`^# ${word} (\\d+)`, 'm').exec(output)?.[1] ?? 0)
  const [pass, fail, skipped] = [count('pass'), count('fail'), count('skipped')]
  const isKept = code === 0 && pass > 0 && skipped === 0
  return { isKept, details: { pass, fail, skipped, ...(isKept ? {} : { output }) } }
}
