/**
 * Promotion and rollback: which generation is live, for everyone or for one tenant. Each is an event in the log. A generation is promoted
 * only if it has caught up.
 */
import { LoomlogError } from '@loomlog/errors'
import { refusal } from '@loomlog/generations/fold'
import { generationBy } from '@loomlog/generations/generation-names'
import type { Generations } from '@loomlog/generations/generations'
import { answeredBefore, answering } from '@loomlog/generations/pointers'
import { type Serving, servingFrom } from '@loomlog/generations/serving'
import { changeGenerations, readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { Readings } from '@loomlog/host/readings'
import type { GenerationPromoted } from '@loomlog/schemas/events'
import { behindMs, stageProgress, viewProgress } from '../progress.ts'
import { checkTenant } from '../spaces.ts'

/** A generation that is promoted is at most so far behind, in ms of log time. */
const mostBehindMs = 5_000

export interface Promotion {
  readonly generation: string
  /** Null: everyone. */
  readonly tenant: string | null
  /** The generation that was live before; null: none. */
  readonly previous: string | null
  readonly epoch: number
  readonly cause: 'promoted' | 'rolledBack'
}

/** @param wanted an id or a name @throws LoomlogError `not-caught-up`, `generation-refused`, `not-found` for a tenant without utterances */
export async function promote(host: Host, wanted: string, tenant: string | null): Promise<Promotion> {
  const known = await readGenerations(host.log, host.codec)
  const { id } = generationBy(known, wanted)
  return pointTo(host, known, { generation: id, tenant, cause: 'promoted', ifBehind: 'refuse' })
}

/** Makes the previously live generation live again. @throws LoomlogError `not-caught-up`, `generation-refused` */
export async function rollBack(
  host: Host,
  { tenant, ifBehind }: Pick<Pointing, 'tenant' | 'ifBehind'>,
): Promise<Promotion> {
  const known = await readGenerations(host.log, host.codec)
  const generation = answeredBefore(known, tenant)
  const whom = tenant === null ? 'everyone' : `tenant ${tenant}`
  if (generation === null)
    throw new LoomlogError('generation-refused', `no other generation was live for ${whom} before`)
  return pointTo(host, known, { generation, tenant, cause: 'rolledBack', ifBehind })
}

interface Pointing extends Pick<Promotion, 'generation' | 'tenant' | 'cause'> {
  readonly ifBehind: 'refuse' | 'roll back'
}

async function pointTo(
  host: Host,
  known: Generations,
  { generation: id, tenant, cause, ifBehind }: Pointing,
): Promise<Promotion> {
  const previous = answering(known, tenant)?.generation ?? null
  const event: GenerationPromoted = {
    type: 'GenerationPromoted',
    generation: id,
    tenant,
    cause,
    previous,
    at: Date.now(),
  }
  const refused = refusal(known, event)
  if (refused !== null) throw new LoomlogError('generation-refused', refused)
  if (cause === 'promoted' && tenant !== null) await checkTenant(tenant, host)
  const generation = known.generations.get(id)
  if (generation && ifBehind === 'refuse') {
    const readings = new Readings(host, { current: known })
    const of = { host, known, serving: servingFrom(generation, host.topics), readings }
    await refuseUnlessCaughtUp(of).finally(() => readings.close())
  }
  const after = await promoteGeneration(host, { generation: id, tenant, cause })
  const { epoch } = answering(after, tenant) ?? { epoch: after.epoch }
  return { generation: id, tenant, previous, epoch, cause }
}

/** @throws LoomlogError `generation-refused` */
export async function promoteGeneration(
  { log, codec }: Host,
  wanted: Pick<GenerationPromoted, 'generation' | 'tenant' | 'cause'>,
): Promise<Generations> {
  const known = await readGenerations(log, codec)
  const previous = answering(known, wanted.tenant)?.generation ?? null
  return changeGenerations(log, codec, { type: 'GenerationPromoted', ...wanted, previous, at: Date.now() })
}

interface Promotable {
  readonly host: Host
  readonly known: Generations
  readonly serving: Serving
  readonly readings: Readings
}

/** The slowest stage or view, and how far it is behind. */
export async function behindBy(
  of: Promotable,
): Promise<{ readonly lag: number; readonly ms: number; readonly part: string }> {
  // Views count as well: a stage may be only a moment behind while its views are far behind.
  const parts = [...(await stageProgress(of)), ...(await viewProgress(of))]
  const found = await Promise.all(
    parts.map(async (part) => ({ part: part.name, lag: part.lag, ms: await behindMs(of.host, part) })),
  )
  const slowest = found.reduce((most, each) => (each.ms > most.ms ? each : most))
  return { ...slowest, lag: Math.max(...found.map(({ lag }) => lag)) }
}

/** Under continuous writes it never has everything: then it may lack the last seconds, but nothing from before its start. */
export async function hasCaughtUp(of: Promotable): Promise<boolean> {
  const { lag, ms } = await behindBy(of)
  const startedAt = of.known.generations.get(of.serving.id)?.startedAt ?? Number.POSITIVE_INFINITY
  return lag <= 0 || (ms <= mostBehindMs && Date.now() - startedAt > mostBehindMs)
}

/** @throws LoomlogError `not-caught-up` */
async function refuseUnlessCaughtUp(of: Promotable): Promise<void> {
  const { ms, part } = await behindBy(of)
  if (ms <= mostBehindMs) return
  const seconds = (value: number) => `${(value / 1_000).toFixed(1)} s`
  throw new LoomlogError(
    'not-caught-up',
    `${of.serving.id} has not caught up: ${part} is ${seconds(ms)} behind, and a promotion allows ${seconds(mostBehindMs)}`,
  )
}
