/**
 * Starts the gateway: HTTP over the generation that is live for each tenant, and the pauses of quiet conversations. `loomlog up` starts it
 * beside the pipeline, and the gateway service starts it alone.
 */
import { isIPv4 } from 'node:net'
import { AuditRecorder } from '@loomlog/access/audit-recorder'
import { CallerLimits } from '@loomlog/access/caller-limits'
import { followKeys } from '@loomlog/access/key-store'
import { ServerAccess } from '@loomlog/access/server-access'
import { LoomlogError } from '@loomlog/errors'
import { createGateway } from '@loomlog/gateway/gateway'
import { endQuietConversations } from '@loomlog/gateway/quiet-conversations'
import type { GenerationsFollower } from '@loomlog/generations/follower'
import type { Conditions } from '@loomlog/host/conditions'
import type { Config } from '@loomlog/host/config'
import type { Host } from '@loomlog/host/open'
import { Readings } from '@loomlog/host/readings'
import { RecallRecorder } from '@loomlog/recall/recall-recorder'
import type { Logger } from 'pino'
import { readUsage } from './usage.ts'

export interface GatewayStart {
  readonly host: Host
  readonly follower: GenerationsFollower
  readonly logger: Logger
  readonly address: Config['http']
  /** The body of GET /v1/status. */
  status(): Promise<object>
  /** Listed by GET /healthz. */
  readonly conditions: Conditions
  /** Ends the start as well. */
  readonly signal: AbortSignal
  onError(error: unknown): void
}

export interface RunningGateway {
  readonly url: string
  /** Whether every caller may do everything, since there are no keys. */
  readonly isOpen: boolean
  close(): Promise<void>
}

/** Said at start. */
export const openNews =
  'there are no keys: every caller may do everything, for every tenant; loomlog keys create makes the first key'

/** @throws LoomlogError `config-invalid` where the port can't be used, or keys are missing */
export async function startGateway(start: GatewayStart): Promise<RunningGateway> {
  const { host, follower, logger, address, status, conditions, signal, onError } = start
  const { httpNames } = host.config
  const readings = new Readings(host, follower)
  const onDropped = (count: number, why: string) => logger.warn(`${count} served recalls were not recorded: ${why}`)
  const recalls = host.config.recalls === 'on' ? new RecallRecorder({ ...host, onDropped }) : null
  const keys = await followKeys({ ...host, onTrouble: onError, onError })
  const audit = new AuditRecorder({
    ...host,
    onDropped: (count, why) => logger.warn(`${count} requests are not in the audit: ${why}`),
  })
  const access = new ServerAccess({ keys, limits: new CallerLimits(host.config.callerLimits), audit })
  const gateway = createGateway({
    ...host,
    dir: host.config.dir,
    webhookKey: host.config.webhooks.key,
    limits: host.config.reading,
    hostNames: isLoopback(address.host) || httpNames.length > 0 ? httpNames : null,
    reading: (tenant, named) => readings.of(tenant, named),
    logger,
    status,
    conditions,
    usage: (tenant) => readUsage(host, tenant),
    recalls,
    access,
  })
  async function close(): Promise<void> {
    await gateway.close()
    await recalls?.close()
    await readings.close()
    await audit.close()
    await keys.close()
  }
  try {
    checkOpenness(access, host.config, address)
    const url = await gateway.listen({ ...address }).catch((cause) => {
      throw portRefused(address, cause)
    })
    const { log, codec, config } = host
    const { session, pauseAfterMs } = config
    const quietConversations = await endQuietConversations({ log, codec, session, pauseAfterMs, signal, onError })
    return {
      url,
      isOpen: access.isOpen,
      async close() {
        await gateway.close()
        await quietConversations.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** @throws LoomlogError `config-invalid`: other machines would reach every tenant */
function checkOpenness({ isOpen }: ServerAccess, { openAccess }: Config, { host }: Config['http']): void {
  if (!isOpen || openAccess === 'on' || isLoopback(host)) return
  throw new LoomlogError(
    'config-invalid',
    `the address ${host} is reached by other machines, and there are no keys: make one (loomlog keys create), or set LOOMLOG_OPEN_ACCESS=on`,
  )
}

export function portRefused({ host, port }: Config['http'], cause: NodeJS.ErrnoException): LoomlogError {
  const reason = cause.code === 'EADDRINUSE' ? 'another process listens there' : cause.message
  return new LoomlogError('config-invalid', `port ${port} on ${host} can't be used: ${reason}`, { cause })
}

function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || (isIPv4(address) && address.startsWith('127.'))
}
