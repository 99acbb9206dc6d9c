/**
 * A soak: one instance under mild load, 4 utterances and 1 recall a second, for `--seconds`. Memory and open files of
 * its process are sampled, and must be flat after the warm-up: ten minutes, or a sixth of a shorter run. `--seconds
 * 3600` is the real test; a shorter run shows only that the scenario works.
 *
 * Recall caches spaces in memory, up to LOOMLOG_SPACE_CACHE_MB. With the default the cache would still be filling after
 * an hour. Here it is small: utterances go to one space after another, so the cache is full when the warm-up ends, and
 * old spaces are evicted. Malloc and V8 have the settings of the image (deploy/Dockerfile).
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fixture } from '../pipeline/fixture.ts'
import { Instance } from './instance.ts'
import type { Scenario, Setting, Verdict } from './scenario.ts'

export interface Sample {
  readonly atSeconds: number
  readonly rssMb: number
  /** From the process's own metrics; null if it was too busy to reply. */
  readonly inside: Inside | null
  readonly openFiles: number
  /** Open files by kind: sockets, files by extension, and deleted files that are still open. */
  readonly kinds: { readonly [kind: string]: number }
}

interface Inside {
  readonly heapMb: number
  readonly externalMb: number
  readonly spaceCacheMb: number
}

const writesPerSecond = 4
/** As in the image: malloc and V8's young generation keep less free memory. */
const image = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
  NODE_OPTIONS: '--max-semi-space-size=16',
}
/** Five minutes of writes. */
const utterancesOfASpace = 1_200
/** Two spaces of that size. */
const spaceCacheMb = 4
const sampleEveryMs = 5_000
const warmSeconds = 600
/** After the warm-up, the last quarter may exceed the first one by this much. */
const maxGrowth = { share: 0.1, mb: 40, files: 20 }

export const soak: Scenario = {
  name: 'soak',
  logs: ['sqlite', 'kafka'],
  nodes: 1,
  description: 'mild load for --seconds; memory and open files are sampled, and must be flat after ten minutes',
  async run(setting) {
    const closing: (() => Promise<unknown>)[] = []
    try {
      const made = await fixture({ after: (close) => closing.push(close) }, 1)
      const memory = { LOOMLOG_SPACE_CACHE_MB: String(spaceCacheMb), ...image }
      const instance = new Instance(made.dir, { ...made.environment, ...setting.log, ...memory })
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
      samples.push({ atSeconds, ...usage(instance.pid), inside: await inside(url) })
      if (samples.length % 12 === 0) say(JSON.stringify(samples.at(-1)))
    }),
  ]
  await sleep(seconds * 1_000)
  stop.abort()
  await Promise.all(load)
  return soakVerdict(samples, { failures, ended: instance.ended, warmAfter: Math.min(warmSeconds, seconds / 6) })
}

interface SoakEnd {
  /** Failed requests, counted by message. */
  readonly failures: { readonly [message: string]: number }
  readonly ended: readonly string[]
  readonly warmAfter: number
}

/** Kept if memory and open files are flat, and no request failed. Without samples of the heap it isn't kept. */
export function soakVerdict(samples: readonly Sample[], { failures, ended, warmAfter }: SoakEnd): Verdict {
  const warm = samples.filter(({ atSeconds }) => atSeconds >= warmAfter)
  const quarter = Math.max(1, Math.floor(warm.length / 4))
  const [first, last] = [warm.slice(0, quarter), warm.slice(-quarter)]
  const rss = { first: median(first, 'rssMb'), last: median(last, 'rssMb') }
  const openFiles = { first: median(first, 'openFiles'), last: median(last, 'openFiles') }
  const liveHeap = { first: leastHeap(first), last: leastHeap(last) }
  const isFlat =
    Number.isFinite(liveHeap.first) &&
    [rss, liveHeap].every(({ first, last }) => last <= first * (1 + maxGrowth.share) + maxGrowth.mb) &&
    openFiles.last <= openFiles.first + maxGrowth.files
  const isKept = isFlat && Object.keys(failures).length === 0 && ended.length === 0
  return { isKept, details: { warmAfter, rssMb: rss, liveHeapMb: liveHeap, openFiles, failures, ended, samples } }
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

async function inside(url: string): Promise<Inside | null> {
  const text = await fetch(`${url}/metrics`)
    .then((response) => response.text())
    .catch(() => '')
  const mb = (name: string) => Math.round(Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]) / 1_000_000)
  const [heapMb, externalMb] = [mb('nodejs_heap_size_used_bytes'), mb('nodejs_external_memory_bytes')]
  return Number.isNaN(heapMb) ? null : { heapMb, externalMb, spaceCacheMb: mb('loomlog_space_cache_bytes') }
}

async function requireSuccess(response: Response): Promise<void> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 200)}`)
}

function usage(pid: number): Omit<Sample, 'atSeconds' | 'inside'> {
  const kb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  const kinds: { [kind: string]: number } = {}
  for (const descriptor of readdirSync(`/proc/${pid}/fd`)) {
    const kind = kindOf(`/proc/${pid}/fd/${descriptor}`)
    kinds[kind] = (kinds[kind] ?? 0) + 1
  }
  const openFiles = Object.values(kinds).reduce((sum, count) => sum + count, 0)
  return { rssMb: Math.round(kb / 1_000), openFiles, kinds }
}

function kindOf(descriptor: string): string {
  try {
    const target = readlinkSync(descriptor)
    if (target.endsWith(' (deleted)')) return 'deleted'
    return target.startsWith('/') ? extname(target) || 'other' : target.replace(/[:[].*/, '')
  } catch {
    // The file was closed meanwhile.
    return 'closed'
  }
}

/** The heap's minimum is after a collection, when it holds little more than live objects. Infinity without samples. */
function leastHeap(samples: readonly Sample[]): number {
  return Math.min(...samples.flatMap(({ inside }) => (inside === null ? [] : [inside.heapMb])))
}

function median(samples: readonly Sample[], of: 'rssMb' | 'openFiles'): number {
  const values = samples.map((sample) => sample[of]).sort((a, b) => a - b)
  return values[Math.floor(values.length / 2)] ?? 0
}
