/**
 * Damage: every kind of damage-kinds.ts, each on a fresh copy of a folder with two tenants. The scenario reads the
 * memory, appends a known id with the same words and with other words, derives, and reads once more.
 *
 * Promises: the id with other words is refused, and the id with the same words is known. A read gives the same memories
 * as before, or names the missing part, or is refused with a code; no error is a raw one. Meanwhile the tenant in the
 * other partition gets its memories. After the derivation all memories are back, unless the log itself is damaged: that
 * is refused or parked.
 *
 * The scenario ends with damage that loomlog can't detect, and fails unless it finds the missing memories itself.
 */
import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deriveAll } from '@loomlog/app/derive-all'
import { withReading } from '@loomlog/app/generations/live'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import { Conditions } from '@loomlog/host/conditions'
import { configFrom } from '@loomlog/host/config'
import { type Host, openHost } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { partitionOf } from '@loomlog/log/partition'
import { requestFrom } from '@loomlog/recall/parameters'
import { recall } from '@loomlog/recall/recall'
import { spaceKey } from '@loomlog/schemas/ids'
import type { ViewReader } from '@loomlog/views/reader'
import { type Fixture, fixture } from '../pipeline/fixture.ts'
import { type Environment, loomlog } from '../pipeline/loomlog.ts'
import { type Damage, damages, undetectableDamage } from './damage-kinds.ts'
import type { Scenario, Setting, Verdict } from './scenario.ts'

/** In different partitions. */
const tenants = ['wayne', 'globex']
const query = 'Who needs a new engine?'
const partitions = 2
const settings = { LOOMLOG_PARTITIONS: String(partitions), LOOMLOG_RECALLS: 'off' }

/** More than the rows of any table of the damaged folder. */
const maxRows = 1_000

interface Reading {
  /** By tenant: the memories of a recall, and the ids of all rows. */
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
  description: `${damages.length} kinds of damage to log, views and caches: found, reported, healed or refused`,
  run: (setting) => testDamage(setting, damages, [undetectableDamage]),
}

/** @param unnoticed damage that loomlog can't detect; without a finding for each, the scenario is broken */
export async function testDamage(
  setting: Pick<Setting, 'random' | 'say'>,
  kinds: readonly Damage[],
  unnoticed: readonly Damage[] = [],
): Promise<Verdict> {
  const closing: (() => Promise<unknown>)[] = []
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-damage-'))
  closing.push(() => rm(folder, { recursive: true, force: true }))
  try {
    const made = await fixture({ after: (close) => closing.push(close) }, 8, settings)
    const [earlier, intact] = [join(folder, 'earlier'), join(folder, 'intact')]
    await ingestTenants(made, earlier, tenants)
    await cp(earlier, intact, { recursive: true, preserveTimestamps: true })
    await ingestTenants(made, intact, tenants, 'later')
    const before = await read(intact, made.environment)
    const findings: string[] = []
    const outcomes: { [outcome: string]: number } = {}
    const tried = async (kind: Damage) => {
      const dir = join(folder, 'copy')
      await cp(intact, dir, { recursive: true, preserveTimestamps: true })
      await kind.apply({ dir, earlier, random: setting.random })
      const found = await judgeTrial({ dir, environment: made.environment, file: made.file, before, kind })
      await rm(dir, { recursive: true, force: true })
      return found
    }
    for (const kind of kinds) {
      const found = await tried(kind)
      for (const finding of found.findings) findings.push(`${kind.name}: ${finding}`)
      outcomes[found.outcome] = (outcomes[found.outcome] ?? 0) + 1
      const broken = found.findings.length > 0 ? ` BROKEN ${found.findings.join('; ')}` : ''
      setting.say(`${kind.name}: ${found.outcome}${broken}`)
    }
    for (const kind of unnoticed) {
      const found = await tried(kind)
      setting.say(`${kind.name}: ${found.findings.join('; ')}`)
      if (found.findings.length === 0) findings.push(`the scenario doesn't notice ${kind.name}`)
    }
    return { isKept: findings.length === 0, details: { kinds: kinds.length, outcomes, findings } }
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

async function ingestTenants(made: Fixture, dir: string, names: readonly string[], space = 'home'): Promise<void> {
  for (const tenant of names) {
    const args = ['ingest', made.file, '--dir', dir, '--json', '--tenant', tenant, '--space', space]
    const run = await loomlog(args, made.environment)
    if (run.code !== 0) throw new Error(`ingest failed: ${run.stderr}`)
  }
}

/** Appends each tenant's first utterance again: the index of ids must still find its id after the damage. */
function appendAgain({ dir, environment, file }: Pick<Trial, 'dir' | 'environment' | 'file'>): Promise<Reading> {
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
  readonly kind: Damage
}

async function judgeTrial({ dir, environment, file, before, kind }: Trial) {
  const isLog = kind.name.endsWith(' log.db')
  const damagedRead = await read(dir, environment)
  const again = await appendAgain({ dir, environment, file })
  const derivation = await deriveAgain(dir, environment)
  const after = await read(dir, environment)
  const findings = [damagedRead, again, derivation, after].flatMap(({ rawErrors }) =>
    rawErrors.map((each) => `raw error: ${each}`),
  )
  const isReported = ({ notices, refusals }: Reading) => notices.length > 0 || refusals.length > 0
  if (!isSame(damagedRead, before) && !isReported(damagedRead))
    findings.push('a read gave other memories without a word')
  for (const tenant of tenants.filter((each) => isElsewhere(each, kind))) {
    if (String(damagedRead.memories[tenant]) !== String(before.memories[tenant]))
      findings.push(`${tenant}, whose shard is intact, was not served`)
  }
  const isRefused = [derivation, after].some(({ refusals }) => refusals.length > 0)
  if (!isSame(after, before) && !(isLog && (isRefused || isReported(damagedRead)))) findings.push('not healed')
  const forgets = tenants.filter((tenant) => String(again.memories[tenant]) !== String(refusesConflicts))
  if (forgets.length > 0 && !isLog)
    findings.push(`known ids of ${forgets}: ${JSON.stringify(again.memories)} ${again.refusals}`)
  if (isRefused && !isLog) findings.push(`refused for good: ${after.refusals.join()} ${derivation.refusals.join()}`)
  const isHarmless = isSame(damagedRead, before) && ![damagedRead, again].some(isReported)
  return { findings, outcome: isRefused ? 'refused' : isHarmless ? 'harmless' : 'healed' }
}

function isElsewhere(tenant: string, { partition }: Damage): boolean {
  return partition !== null && partitionOf(spaceKey(tenant, 'home'), partitions) !== partition
}

function isSame(reading: Reading, before: Reading): boolean {
  return JSON.stringify(reading.memories) === JSON.stringify(before.memories)
}

function read(dir: string, environment: Environment): Promise<Reading> {
  return withFolder(dir, environment, async (host, reading) => {
    for (const tenant of tenants) await attempt(reading, () => readTenant(host, tenant, reading))
  })
}

async function readTenant(host: Host, tenant: string, reading: MutableReading): Promise<void> {
  const space = spaceKey(tenant, 'home')
  const found = await withReading(host, tenant, async ({ views, embedder }) => {
    const { log, codec, model } = host
    const request = requestFrom({ query, limit: '20' }, [space], (name) => name)
    const { items, rebuilding = [] } = await recall(request, { log, codec, views, embedder, model })
    for (const { topic } of rebuilding) reading.notices.push(`${topic} is being rebuilt`)
    for (const { topic, reached, end } of await views.behind([space]))
      reading.notices.push(`${topic} lacks ${end - reached} records`)
    return [...items.map(({ id, text }) => `${id} ${text}`), ...(await rowsOf(views, space))]
  })
  reading.memories[tenant] = found.toSorted()
}

/** Reads every row, since a recall needs few and might not miss one. */
async function rowsOf(views: ViewReader, space: string): Promise<readonly string[]> {
  const rows = views.tables.map(async (table) => {
    const found = await views.scan(table, { space, limit: maxRows })
    return found.map(({ id }) => `${table.name} ${id}`)
  })
  return (await Promise.all(rows)).flat()
}

function deriveAgain(dir: string, environment: Environment): Promise<Reading> {
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
