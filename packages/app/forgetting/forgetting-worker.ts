/**
 * Does the forgettings that are requested, one of a space after the other, and those of the rules of retention between
 * them. The process leases partitions of the topic `forgettings`, so one process does a forgetting, and the next owner
 * continues it.
 */
import { type ForgettingState, forgettingsTopic, readForgettings } from '@loomlog/forgetting/forgettings'
import type { Host } from '@loomlog/host/open'
import type { Lease, Membership } from '@loomlog/log/port'
import type { ForgettingStatus } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import type { Logger } from 'pino'
import { carryOn } from './job.ts'
import { checkForgets } from './operations.ts'
import { Passage } from './passage.ts'
import { Retention } from './retention.ts'

export interface WorkerOptions {
  readonly signal: AbortSignal
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** The clock of retention. Default: the system's. */
  now?(): number
  onError(error: unknown): void
}

const group = 'forgettings'
const pollMs = 1_000

/** @throws LoomlogError `config-invalid` for rules of retention on a log that forgets nothing */
export async function startForgettings(host: Host, options: WorkerOptions): Promise<Membership> {
  const { signal, onError } = options
  if (host.config.retention.length > 0) checkForgets(host.log)
  const onLease = (lease: Lease) => work(lease, host, options)
  return host.log.join({ group, topic: forgettingsTopic, ...host.config.session, signal, onLease, onError })
}

/** Notes each step, and each list of stages that a forgetting waits for, once. */
function progressTo(logger: WorkerOptions['logger']) {
  let noted = ''
  return (forgetting: string, status: ForgettingStatus, waitingFor: readonly string[]) => {
    const line = `forgetting ${forgetting} is ${status}${waitingFor.length > 0 ? `, and waits for ${waitingFor.join(', ')}` : ''}`
    if (line !== noted) logger.info(line)
    noted = line
  }
}

async function work(lease: Lease, host: Host, options: WorkerOptions): Promise<void> {
  const signal = AbortSignal.any([lease.signal, options.signal])
  // From the beginning: a request counts until it is certified, wherever a position is.
  lease.seek(0)
  const { now = Date.now, logger } = options
  const retention = new Retention(host, { partition: lease.partition, now, logger })
  let maxWaitMs = pollMs
  while (!signal.aborted) {
    const records = await lease.poll({ maxRecords: 1_000, maxWaitMs })
    // By their events: once a request is destroyed, no record has the key of its space.
    const events = await Promise.all(records.map(({ value }) => host.codec.decodeOwn(value)))
    const spaces = events.flatMap((event) =>
      event?.type === 'ForgettingRequested' || event?.type === 'ForgettingStatusChanged'
        ? spaceKey(event.tenant, event.space)
        : [],
    )
    for (const space of new Set(spaces)) await forgetIn(space, host, { ...options, signal })
    // Requests of people come first.
    const expired = records.length > 0 || signal.aborted ? null : await retention.next()
    if (expired !== null) await forgetIn(expired.space, host, { ...options, signal })
    maxWaitMs = expired === null ? pollMs : 0
  }
}

async function forgetIn(space: string, host: Host, options: WorkerOptions): Promise<void> {
  const next = async () => (await readForgettings(space, host)).find(({ status }) => status !== 'certified')
  for (let state = await next(); state && !options.signal.aborted; state = await next())
    await forget(state, host, options)
}

async function forget(state: ForgettingState, host: Host, { signal, logger }: WorkerOptions): Promise<void> {
  const onProgress = progressTo(logger)
  const passage = new Passage(host, state)
  await carryOn(state, host, {
    signal,
    passage,
    onProgress: (status, waitingFor) => onProgress(state.id, status, waitingFor),
  })
}
