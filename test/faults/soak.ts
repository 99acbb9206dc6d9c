/**
 * A soak: one instance under mild load, 4 utterances and 1 recall a second, for `--seconds`, with every setting at its
 * default. Memory and open files of its process are sampled, and must be flat after the warm-up, without the share of
 * the caches (soak-verdict.ts). The warm-up is ten minutes, or a sixth of a shorter run. `--seconds 3600` is the real
 * test; a shorter run shows only that the scenario works.
 *
 * Utterances go to one space after another. The default cache of spaces holds all of them for longer than an hour.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { fixture } from '../pipeline/fixture.ts'
import { Instance } from './instance.ts'
import type { Scenario, Setting, Verdict } from './scenario.ts'
import { type Sample, takeSample } from './soak-sample.ts'
import { soakVerdict } from './soak-verdict.ts'

const writesPerSecond = 4
/** Five minutes of writes. */
const utterancesOfASpace = 1_200
const sampleEveryMs = 5_000
const warmSeconds = 600

export const soak: Scenario = {
  name: 'soak',
  logs: ['sqlite', 'kafka'],
  nodes: 1,
  description: 'mild load for --seconds; memory without caches, and open files, must be flat after ten minutes',
  async run(setting) {
    const closing: (() => Promise<unknown>)[] = []
    try {
      const made = await fixture({ after: (close) => closing.push(close) }, 1)
      const instance = new Instance(made.dir, { ...made.environment, ...setting.log })
      closing.push(() => instance.end('SIGKILL'))
      instance.start()
      return await runSoak(instance, setting)
    } finally {
      for (const close of closing.reverse()) await close()
    }
  },
}

async function runSoak(instance: Instance, { seconds, say }: Setting): Promise<Verdict> {
  const url = await instance.url()
  const stop = new AbortController()
  const failures: { [message: string]: number } = {}
  const every = async (ms: number, work: (n: number) => Promise<unknown>) => {
    for (let n = 0; !stop.signal.aborted; n += 1) {
      await work(n).catch((error: Error) => {
        failures[error.message] = (failures[error.message] ?? 0) + 1
      })
      await sleep(ms, undefined, { signal: stop.signal }).catch(() => {})
    }
  }
  const samples: Sample[] = []
  const startedAt = performance.now()
  let written = 0
  const load = [
    every(1_000 / writesPerSecond, async (n) => {
      await write(url, n)
      written = n
    }),
    every(1_000, () => recall(url, written)),
    every(sampleEveryMs, async () => {
      const atSeconds = Math.round((performance.now() - startedAt) / 1_000)
      samples.push(await takeSample(instance.pid, url, atSeconds))
      if (samples.length % 12 === 0) say(JSON.stringify(samples.at(-1)))
    }),
  ]
  await sleep(seconds * 1_000)
  stop.abort()
  await Promise.all(load)
  const warmAfterSeconds = Math.min(warmSeconds, seconds / 6)
  return soakVerdict(samples, { utterances: written, failures, ended: instance.ended, warmAfterSeconds })
}

async function write(url: string, n: number): Promise<void> {
  const at = new Date(Date.UTC(2026, 0, 5) + n * 60_000).toISOString()
  const text = `Number ${n}: the boat needs a new engine, and my sister moved to Porto.`
  const body = JSON.stringify({ conversation: `c${Math.floor(n / 40)}`, speaker: 'Ada', at, text })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/v1/spaces/${spaceOf(n)}/utterances`, { method: 'POST', headers, body })
  await requireSuccess(response)
}

/** @param written the last utterance so far */
async function recall(url: string, written: number): Promise<void> {
  const query = encodeURIComponent(`the boat of number ${Math.floor(written * 0.9)}`)
  await requireSuccess(await fetch(`${url}/v1/spaces/${spaceOf(written)}/recall?query=${query}`))
}

function spaceOf(write: number): string {
  return `home${Math.floor(write / utterancesOfASpace)}`
}

async function requireSuccess(response: Response): Promise<void> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 200)}`)
}
