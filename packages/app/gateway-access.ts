/** Opens the gateway's access: keys of the log, tokens of an issuer, limits, the audit, and the certificate. */
import { AuditRecorder } from '@loomlog/access/audit-recorder'
import { CallerLimits } from '@loomlog/access/caller-limits'
import { firstKeyCommand } from '@loomlog/access/first-key'
import { followKeys } from '@loomlog/access/key-store'
import { KeyUses } from '@loomlog/access/key-uses'
import type { OidcTokens } from '@loomlog/access/oidc'
import { ServerAccess } from '@loomlog/access/server-access'
import { LoomlogError } from '@loomlog/errors'
import type { GatewayOptions } from '@loomlog/gateway/gateway-options'
import type { Config } from '@loomlog/host/config'
import { dirOption } from '@loomlog/host/dir-option'
import { isLoopback } from '@loomlog/host/loopback'
import type { Host } from '@loomlog/host/open'
import { readPem } from '@loomlog/host/pem'
import type { Logger } from 'pino'

export interface GatewayAccess {
  readonly access: ServerAccess
  readonly tls: GatewayOptions['tls']
  /** Lines for people, printed at start. */
  readonly news: readonly string[]
  close(): Promise<void>
}

interface AccessStart {
  readonly host: Host
  readonly logger: Logger
  readonly address: Config['http']
  onError(error: unknown): void
}

const plainNews = 'keys travel unencrypted unless a proxy adds TLS: LOOMLOG_TLS_CERT_FILE and LOOMLOG_TLS_KEY_FILE'

/** @throws LoomlogError `config-invalid` where other machines would reach every tenant without a key */
export async function openGatewayAccess({ host, logger, address, onError }: AccessStart): Promise<GatewayAccess> {
  const { config } = host
  const tls = await certificateOf(config)
  const tokens = await tokensOf(config)
  const onDropped = (count: number, why: string) => logger.warn(`${count} requests are not in the audit: ${why}`)
  const audit = new AuditRecorder({ ...host, onDropped })
  const keys = await followKeys({ ...host, onTemporaryFailure: onError, onError })
  const uses = new KeyUses({ ...host, onDelayed: (why) => logger.warn(`uses of keys are recorded later: ${why}`) })
  const access = new ServerAccess({ keys, tokens, limits: new CallerLimits(config.callerLimits), audit, uses })
  async function close(): Promise<void> {
    await audit.close()
    await uses.close()
    await keys.close()
  }
  const firstKey = `${firstKeyCommand}${dirOption(config)}`
  const isLocal = isLoopback(address.host)
  if (access.isOpen && !isLocal && config.openAccess === 'off') {
    await close()
    throw new LoomlogError(
      'config-invalid',
      `other machines can reach the address ${address.host}, and there are no keys: make one (${firstKey}), or set LOOMLOG_OPEN_ACCESS=on`,
    )
  }
  const news = [...(access.isOpen ? [openNews(firstKey)] : []), ...(tls === null && !isLocal ? [plainNews] : [])]
  return { access, tls, news, close }
}

function openNews(firstKey: string): string {
  return `there are no keys: every caller may do everything, for every tenant; ${firstKey} makes the first key`
}

/** Loads the OIDC library only if an issuer is configured. */
async function tokensOf({ oidc }: Config): Promise<OidcTokens | null> {
  if (oidc === null) return null
  const { OidcTokens } = await import('@loomlog/access/oidc')
  return new OidcTokens(oidc)
}

async function certificateOf({ tls }: Config): Promise<GatewayOptions['tls']> {
  if (tls === null) return null
  return { cert: await readPem('LOOMLOG_TLS_CERT_FILE', tls.cert), key: await readPem('LOOMLOG_TLS_KEY_FILE', tls.key) }
}
