/** The finding on access: a gateway that other machines reach needs keys. */
import { firstKeyCommand } from '@loomlog/access/first-key'
import { readKeys } from '@loomlog/access/key-store'
import { isLoopback } from '@loomlog/host/loopback'
import type { Host } from '@loomlog/host/open'
import { type Finding, ok, problem, warning } from './check-result.ts'

export async function exposureFinding(host: Host): Promise<Finding> {
  const { http, openAccess, oidc } = host.config
  if (isLoopback(http.host)) return ok('access', `the gateway listens on ${http.host}, for this machine only`)
  const keys = [...(await readKeys(host)).values()].filter(({ revokedAt }) => revokedAt === null)
  const text = `the gateway listens on ${http.host}, for other machines`
  if (keys.length > 0 || oidc !== null) return ok('access', `${text}, and requires a key or a token`)
  if (openAccess === 'on') return warning('access', `${text}, without keys (LOOMLOG_OPEN_ACCESS)`, firstKeyCommand)
  return problem('access', `${text}, and there is no key: loomlog up refuses to start`, firstKeyCommand)
}
