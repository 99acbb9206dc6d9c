/** Findings on a server (`--url`): reachable, its version and conditions, and whether it accepts the key. */
import { firstKeyCommand } from '@loomlog/access/first-key'
import type { LoomlogClient } from '@loomlog/client/loomlog-client'
import { isLoomlogError } from '@loomlog/errors'
import { away, type Finding, ok, problem, warning } from './check-result.ts'

interface Conditions {
  /** Only of a server without keys, or for a key that may operate it. */
  readonly conditions?: { readonly [name: string]: { readonly text: string } }
}

interface Health extends Conditions {
  readonly version?: string
}

/** @param version this command's own */
export async function serverFindings(server: LoomlogClient, version: string): Promise<readonly Finding[]> {
  try {
    const health = await server.get<Health>('/healthz')
    const { conditions = {} } = health.conditions === undefined ? await statusOf(server) : health
    const waiting = Object.values(conditions).map(({ text }) => warning('server', text, 'loomlog status'))
    return [ok('server', 'it replies'), versionFinding(health.version, version), await keyFinding(server), ...waiting]
  } catch (error) {
    return [failed('server', error, 'start it there with loomlog up, or give --url')]
  }
}

function versionFinding(found: string | undefined, own: string): Finding {
  if (found === own) return ok('version', `the server has ${found}`)
  const text = `the server has ${found ?? 'an older version'}, and this command ${own}`
  return warning('version', text, 'install the same version on both')
}

/** Nothing without the right to operate. */
async function statusOf(server: LoomlogClient): Promise<Conditions> {
  return server.get<Conditions>('/v1/status').catch(() => ({}))
}

/** Any route of a tenant needs a key, where the server has keys. */
async function keyFinding(server: LoomlogClient): Promise<Finding> {
  try {
    await server.get('/v1/spaces', { limit: 1 })
    return ok('key', 'it is accepted, or the server needs none')
  } catch (error) {
    // A key with other scopes is a key.
    if (isLoomlogError(error, 'not-allowed')) return ok('key', 'it is accepted, without the right to list spaces')
    return failed('key', error, `set LOOMLOG_KEY; on the server, ${firstKeyCommand} makes a key`)
  }
}

function failed(check: string, error: unknown, mend: string): Finding {
  if (!isLoomlogError(error)) throw error
  return (error.retryable ? away : problem)(check, error.message, mend)
}
