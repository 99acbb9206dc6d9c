/** Findings on access: a gateway that other machines reach needs keys; keys that end soon need a successor. */
import { firstKeyCommand } from '@loomlog/access/first-key'
import { readKeys } from '@loomlog/access/key-store'
import { type AccessKeys, endOfKey, stateOfKey } from '@loomlog/access/keys'
import { isLoopback } from '@loomlog/host/loopback'
import type { Host } from '@loomlog/host/open'
import { dateTimeText } from '../print.ts'
import { type Finding, ok, problem, warning } from './check-result.ts'

const soonMs = 14 * 86_400_000

export async function accessFindings(host: Host): Promise<readonly Finding[]> {
  const keys = await readKeys(host)
  return [exposureFinding(host, keys), ...expiryFindings(keys, Date.now())]
}

/** A key that is replaced already ends as planned. */
export function expiryFindings(keys: AccessKeys, now: number): readonly Finding[] {
  return [...keys.values()].flatMap((key) => {
    const end = endOfKey(key)
    const endsSoon = stateOfKey(key, now) === 'valid' && end !== null && end - now < soonMs
    if (!endsSoon || key.replacement !== null) return []
    const name = key.label === '' ? key.id : `${key.id} (${key.label})`
    return [warning('keys', `the key ${name} expires at ${dateTimeText(end)} UTC`, `loomlog keys rotate ${key.id}`)]
  })
}

function exposureFinding(host: Host, known: AccessKeys): Finding {
  const { http, openAccess, oidc } = host.config
  if (isLoopback(http.host)) return ok('access', `the gateway listens on ${http.host}, for this machine only`)
  const keys = [...known.values()].filter(({ revokedAt }) => revokedAt === null)
  const text = `the gateway listens on ${http.host}, for other machines`
  if (keys.length > 0 || oidc !== null) return ok('access', `${text}, and requires a key or a token`)
  if (openAccess === 'on') return warning('access', `${text}, without keys (LOOMLOG_OPEN_ACCESS)`, firstKeyCommand)
  return problem('access', `${text}, and there is no key: loomlog up refuses to start`, firstKeyCommand)
}
