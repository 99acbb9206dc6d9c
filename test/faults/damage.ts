/**
 * Damage: every kind of damage-kinds.ts, each on a fresh copy of a folder with two tenants. First the memory is read, then everything is
 * derived again and read once more. In between, a known id is appended with the same words and with other words.
 *
 * Promises: the id with other words is refused, and the same words are known. A read gives the same memories as before, or says what is missing, or is refused with a code; no error is a raw one; and
 * after the derivation all memories are back, unless the log itself is damaged, which is refused or parked.
 */
import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deriveAll } from '@loomlog/app/derive-all'
import { withReading } from '@loomlog/app/generations/live'
import { viewsBehind } from '@loomlog/app/progress'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import { Conditions } from '@loomlog/host/conditions'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { requestFrom } from '@loomlog/recall/parameters'
import { recall } from '@loomlog/recall/recall'
import { spaceKey } from '@loomlog/schemas/ids'
import { type Fixture, fixture } from '../pipeline/fixture.ts'
import { type Environment, loomlog } from '../pipeline/loomlog.ts'
import { type Damage, damages } from './damage-kinds.ts'
import type { Scenario, Setting, Verdict } from './scenario.ts'

const tenants = ['acme', 'globex']
const query = 'Who needs a new engine?'
const settings = { LOOMLOG_PARTITIONS: '1', LOOMLOG_RECALLS: 'off' }

/** The ids of the memories by tenant, or the refusal. */
interface Reading {
  readonly memories: { readonly [tenant: string]: readonly string[] }
  /** Messages and missing records. */
  readonly notices: readonly string[]
  readonly refusals: readonly string[]
  readonly rawErrors: readonly string[]
}

export const damage: Scenario = {
  name: 'damage',
  logs: ['sqlite'],
  nodes: 1,
  what: `${damages.length} kinds of damage to log, views and caches: found, reported, healed or refused`,
  run: (setting) => damaged(setting, damages),
}

export async function damaged(setting: Pick<Setting, 'random' | 'say'>, kinds: readonly Damage[]): Promise<Verdict> {
  const closing: (() => Promise<unknown>)[] = []
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-damage-'))
  closing.push(() => rm(folder, { recursive: true, force: true }))
  try {
    const made = await fixture({ after: (close) => closing.push(close) }, 8, settings)
    const [earlier, intact] = [join(folder, 'earlier'), join(folder, 'intact')]
    await ingested(made, earlier, tenants)
    await cp(earlier, intact, { recursive: true, preserveTimestamps: true })
    await ingested(made, intact, tenants, 'later')
    const before = await read(intact, made.environment)
    const findings: string[] = []
    const outcomes: { [outcome: string]: number } = {}
    for (const [at, kind] of kinds.entries()) {
      const dir = join(folder, `copy-${at}`)
      await cp(intact, dir, { recursive: true, preserveTimestamps: true })
      await kind.apply({ dir, earlier, random: setting.random })
      const isLog = kind.name.endsWith(' log.db')
      const found = await judged({ dir, environment: made.environment, file: made.file, before, isLog })
      for (const finding of found.findings) findings.push(`${kind.name}: ${finding}`)
      outcomes[found.outcome] = (outcomes[found.outcome] ?? 0) + 1
      setting.say(
        `${kind.name}: ${found.outcome}${found.findings.length > 0 ? ` BROKEN ${found.findings.join('; ')}` : ''}`,
      )
      await rm(dir, { recursive: true, force: true })
    }
    return { ok: findings.length === 0 ? 'yes' : 'no', details: { kinds: kinds.length, outcomes, findings } }
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

async function ingested(made: Fixture, dir: string, names: readonly string[], space = 'home'): Promise<void> {
  for (const tenant of names) {
    const args = ['ingest', made.file, '--dir', dir, '--json', '--tenant', tenant, '--space', space]
    const run = await loomlog(args, made.environment)
    if (run.code !== 0) throw new Error(`ingest failed: ${run.stderr}`)
  }
}

/** Of the first utterance of each tenant: an index of known ids must not forget it when its file is damaged. */
function appendedAgain({ dir, environment, file }: Pick<Trial, 'dir' | 'environment' | 'file'>): Promise<Reading> {
  return withFolder(dir, environment, async (host, reading) => {
    const [line = ''] = readFileSync(file, 'utf8').split('\n')
    for (const tenant of tenants) {
      const event = utteranceFrom(JSON.parse(line), { tenant, space: 'home' }, Date.now())
      const append = (text: string) =>
        appendOnce([{ ...event, text }], { ...host, dir, notify: (notice) => reading.notices.push(notice) })
      await attempt(reading, async () => {
        const { appended } = await append(event.text)
        const outcome = await append('Other words.').then(
          () => 'accepted',
          (error) => (error as LoomlogError).code,
        )
        reading.memories[tenant] = [`same words: ${appended} appended`, `other words: ${outcome}`]
      })
    }
  })
}

const refusesConflicts = ['same words: 0 appended', 'other words: id-conflict']

interface Trial {
  /** The ingested conversation. */
  readonly file: string
  readonly dir: string
  readonly environment: Environment
  readonly before: Reading
  readonly isLog: boolean
}

async function judged({ dir, environment, file, before, isLog }: Trial) {
  const damagedRead = await read(dir, environment)
  const again = await appendedAgain({ dir, environment, file })
  const derivation = await derived(dir, environment)
  const after = await read(dir, environment)
  const findings = [damagedRead, again, derivation, after].flatMap(({ rawErrors }) =>
    rawErrors.map((each) => `raw error: ${each}`),
  )
  const isReported = ({ notices, refusals }: Reading) => notices.length > 0 || refusals.length > 0
  if (!isSame(damagedRead, before) && !isReported(damagedRead))
    findings.push('a read gave other memories without a word')
  const isRefused = [derivation, after].some(({ refusals }) => refusals.length > 0)
  if (!isSame(after, before) && !(isLog && (isRefused || isReported(damagedRead)))) findings.push('not healed')
  const forgets = tenants.filter((tenant) => String(again.memories[tenant]) !== String(refusesConflicts))
  if (forgets.length > 0 && !isLog)
    findings.push(`known ids of ${forgets}: ${JSON.stringify(again.memories)} ${again.refusals}`)
  if (isRefused && !isLog) findings.push(`refused for good: ${after.refusals.join()} ${derivation.refusals.join()}`)
  const isHarmless = isSame(damagedRead, before) && ![damagedRead, again].some(isReported)
  return { findings, outcome: isRefused ? 'refused' : isHarmless ? 'harmless' : 'healed' }
}

function isSame(reading: Reading, before: Reading): boolean {
  return JSON.stringify(reading.memories) === JSON.stringify(before.memories)
}

function read(dir: string, environment: Environment): Promise<Reading> {
  return withFolder(dir, environment, async (host, reading) => {
    for (const tenant of tenants) {
      const space = spaceKey(tenant, 'home')
      await attempt(reading, async () => {
        const found = await withReading(host, tenant, async ({ views, embedder }) => {
          const { log, codec, model } = host
          const request = requestFrom({ query, limit: '20' }, [space], (name) => name)
          const { items, rebuilding = [] } = await recall(request, { log, codec, views, embedder, model })
          for (const { topic } of rebuilding) reading.notices.push(`${topic} is being made again`)
          for (const { topic, records } of await viewsBehind(log, views, [space]))
            reading.notices.push(`${topic} lacks ${records} records`)
          return items
        })
        reading.memories[tenant] = found.map(({ id, text }) => `${id} ${text}`).sort()
      })
    }
  })
}

function derived(dir: string, environment: Environment): Promise<Reading> {
  return withFolder(dir, environment, async (host, reading) => {
    const line = (text: string) => void reading.notices.push(text)
    const conditions = new Conditions({ info: line, warn: line, debug: () => {} })
    const signal = AbortSignal.timeout(60_000)
    await attempt(reading, () => deriveAll(host, { conditions, onNews: line, onProgress: () => {}, signal }))
  })
}

interface MutableReading {
  readonly memories: { [tenant: string]: readonly string[] }
  readonly notices: string[]
  readonly refusals: string[]
  readonly rawErrors: string[]
}

async function withFolder(
  dir: string,
  environment: Environment,
  work: (host: Awaited<ReturnType<typeof openHost>>, reading: MutableReading) => Promise<void>,
): Promise<Reading> {
  const reading: MutableReading = { memories: {}, notices: [], refusals: [], rawErrors: [] }
  await attempt(reading, async () => {
    const host = await openHost(configFrom({ ...environment, LOOMLOG_DIR: dir }), (text) => reading.notices.push(text))
    await work(host, reading).finally(() => host.close())
  })
  return reading
}

async function attempt(reading: MutableReading, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (isLoomlogError(error)) reading.refusals.push(`${error.code} ${error.message.slice(0, 200)}`)
    else reading.rawErrors.push(String((error as Error).stack ?? error).slice(0, 400))
  }
}
