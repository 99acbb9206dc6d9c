/**
 * `npm run test:faults -- [--log sqlite|kafka|all] [--scenario NAME…] [--seed N] [--seconds N] [--kills N] [--data
 * LOCOMO] [--sessions N|all] [--json FILE]`: the campaign. Each scenario has a log of its own and randomness from the
 * seed, which is printed. `--seed` repeats the same choices, but not the same moments. The exit code is 1 if a promise
 * was broken.
 */
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { type LocalKafka, startLocalKafka } from '@loomlog/kafka-local/kafka-local'
import { localKafkaSkipReason } from '@loomlog/kafka-local/testing-cluster'
import { hash } from '@loomlog/schemas/ids'
import { writeResult } from '../figures/result.ts'
import { seededRandom } from '../seeded-random.ts'
import { apiFuzzing } from './api-fuzz.ts'
import { damage } from './damage.ts'
import { flows } from './flows.ts'
import { forget } from './forget.ts'
import { fuzzing } from './fuzz.ts'
import { generations } from './generations.ts'
import { kills } from './kills.ts'
import { locomo } from './locomo.ts'
import type { LogKind, Scenario, Setting, Verdict } from './scenario.ts'
import { soak } from './soak.ts'
import { subscribers } from './subscribers.ts'
import { traps } from './traps.ts'

const { values } = parseArgs({
  options: {
    log: { type: 'string', default: 'all' },
    scenario: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seconds: { type: 'string', default: '60' },
    kills: { type: 'string', default: '6' },
    data: { type: 'string' },
    sessions: { type: 'string', default: '2' },
    json: { type: 'string' },
  },
})

const scenarios: readonly Scenario[] = [
  ...[traps, kills, generations, ...flows, subscribers, locomo, forget, damage, soak, fuzzing, apiFuzzing],
]
/** Short, so that other processes notice a kill soon, but long enough that a busy machine loses no lease. */
const sessionMs = 3_000

const seed = wholeNumber('seed', values.seed)
const seconds = wholeNumber('seconds', values.seconds)
const randomKills = wholeNumber('kills', values.kills)
const sessions = values.sessions === 'all' ? null : wholeNumber('sessions', values.sessions)
const data = values.data ?? process.env.LOOMLOG_DATA ?? null

interface Result extends Verdict {
  readonly scenario: string
  readonly log: LogKind
  readonly seed: number
  readonly seconds: number
}

const results: Result[] = []
const skipped: { readonly scenario: string; readonly log: LogKind; readonly why: string }[] = []
const missing = await localKafkaSkipReason()
console.log(`--seed ${seed}`)
for (const scenario of chosenScenarios()) {
  for (const kind of scenario.logs.filter((each) => values.log === 'all' || values.log === each)) {
    const why = whySkipped(scenario, kind)
    if (why === null) results.push(await runScenario(scenario, kind))
    else {
      skipped.push({ scenario: scenario.name, log: kind, why })
      console.log(`${scenario.name} on ${kind}: skipped, ${why}`)
    }
  }
}
const broken = results.filter(({ isKept }) => !isKept)
await writeResult(values.json, 'test:faults --', { seed, results, skipped })
console.log(`${results.length} scenarios played, ${broken.length} promises broken, ${skipped.length} skipped`)
process.exitCode = broken.length > 0 ? 1 : 0

async function runScenario(scenario: Scenario, kind: LogKind): Promise<Result> {
  console.log(`\n${scenario.name} on ${kind}: ${scenario.description}`)
  const startedAt = performance.now()
  const say = (text: string) =>
    console.log(`${String(Math.round((performance.now() - startedAt) / 1_000)).padStart(4)} s  ${text}`)
  const own = Number.parseInt(hash([seed, scenario.name, kind]).slice(0, 8), 16)
  const run = async (kafka: LocalKafka | null) => {
    const chosen = { seconds, kills: randomKills, data, sessions }
    const setting = { kind, log: environmentOf(kafka), sessionMs, kafka, random: seededRandom(own), ...chosen, say }
    return await scenario.run(setting).finally(() => kafka?.stop())
  }
  // A cluster that does not start fails only its own scenario.
  const verdict = await (kind === 'kafka' ? startLocalKafka({ nodes: scenario.nodes }).then(run) : run(null)).catch(
    (error: Error): Verdict => ({ isKept: false, details: { error: error.stack ?? String(error) } }),
  )
  const took = Math.round((performance.now() - startedAt) / 1_000)
  console.log(`${verdict.isKept ? 'kept' : 'BROKEN'}, ${took} s: ${JSON.stringify(verdict.details, null, 2)}`)
  return { scenario: scenario.name, log: kind, seed, seconds: took, ...verdict }
}

function environmentOf(kafka: LocalKafka | null): Setting['log'] {
  if (kafka === null) return { LOOMLOG_LOG: 'sqlite' }
  return {
    LOOMLOG_LOG: 'kafka',
    LOOMLOG_KAFKA_BROKERS: kafka.brokers.join(','),
    LOOMLOG_REGISTRY_URL: kafka.registryUrl,
    LOOMLOG_KAFKA_ENVIRONMENT: 'faults',
  }
}

function whySkipped(scenario: Scenario, kind: LogKind): string | null {
  if (scenario === locomo && data === null) return 'it needs --data FILE, a LoCoMo file'
  return kind === 'kafka' ? missing : null
}

function chosenScenarios(): readonly Scenario[] {
  if (!['sqlite', 'kafka', 'all'].includes(values.log)) throw invalidOption('log', values.log, 'sqlite, kafka or all')
  const names = scenarios.map(({ name }) => name)
  const unknown = values.scenario.find((name) => !names.includes(name))
  if (unknown !== undefined) throw invalidOption('scenario', unknown, `one of ${names.join(', ')}`)
  return scenarios.filter(({ name }) => values.scenario.length === 0 || values.scenario.includes(name))
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 0) return number
  throw invalidOption(name, text, 'a whole number')
}

function invalidOption(name: string, value: string, expected: string): LoomlogError {
  return new LoomlogError('input-invalid', `--${name} is ${value}: expected ${expected}`)
}
