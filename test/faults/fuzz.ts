/**
 * The gateway under random requests: valid ones, wrong ones and bytes. Each reply is below 500, or 503 with
 * Retry-After. A second part sends a thousand recalls at once: each is answered, or refused with Retry-After, and the
 * process stays up.
 */
import { readFileSync } from 'node:fs'
import { fixture } from '../pipeline/fixture.ts'
import { fuzz } from './fuzz-run.ts'
import { Instance } from './instance.ts'
import type { Scenario, Setting, Verdict } from './scenario.ts'

const requests = 20_000
const recallsAtOnce = 1_000
/** Limit of the process's peak memory. */
const mostMemoryMb = 2_000

export const fuzzing: Scenario = {
  name: 'fuzz',
  logs: ['sqlite', 'kafka'],
  nodes: 1,
  description: `${requests} fuzzed requests and ${recallsAtOnce} recalls at once; no 5xx except 503 with Retry-After, no hang`,
  async run(setting) {
    const closing: (() => Promise<unknown>)[] = []
    try {
      const { dir, environment } = await fixture({ after: (close) => closing.push(close) }, 1)
      const instance = new Instance(dir, { ...environment, ...setting.log })
      closing.push(() => instance.end('SIGKILL'))
      instance.start()
      return await fuzzInstance(instance, setting)
    } finally {
      for (const close of closing.reverse()) await close()
    }
  },
}

async function fuzzInstance(instance: Instance, { random, say }: Setting): Promise<Verdict> {
  const { port } = new URL(await instance.url())
  const fuzzed = await fuzz(Number(port), { count: requests, random })
  say(JSON.stringify(fuzzed.statuses))
  const recalls = await recallAtOnce(Number(port))
  say(JSON.stringify(recalls))
  const memoryMb = peakMb(instance.pid)
  const isAlive = (await fetch(`http://127.0.0.1:${port}/healthz`)).status === 200
  const others = Object.keys(recalls).filter((outcome) => outcome !== '200' && outcome !== '503 with Retry-After')
  const ok =
    fuzzed.broken.length === 0 &&
    others.length === 0 &&
    isAlive &&
    memoryMb <= mostMemoryMb &&
    instance.ended.length === 0
  return { isKept: ok, details: { ...fuzzed, recalls, memoryMb, ended: instance.ended } }
}

async function recallAtOnce(port: number): Promise<{ readonly [outcome: string]: number }> {
  const outcomes: { [outcome: string]: number } = {}
  const ask = async (n: number) => {
    const url = `http://127.0.0.1:${port}/v1/spaces/home/recall?query=Maya+${n}`
    const outcome = await fetch(url).then(
      async (answer) => {
        await answer.text()
        return `${answer.status}${answer.headers.has('retry-after') ? ' with Retry-After' : ''}`
      },
      (error: Error) => String(error.cause ?? error),
    )
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  await Promise.all(Array.from({ length: recallsAtOnce }, (_, n) => ask(n)))
  return outcomes
}

function peakMb(pid: number): number {
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024)
}
