/**
 * The request line and the headers: checks of the host, of pages of other sites, and of ambiguous tenants and paths;
 * and the bytes of the body.
 *
 * A page in a browser can reach a loopback port by a name of its own that resolves to 127.0.0.1 (DNS rebinding). So on
 * a loopback address the Host is an IP address, `localhost`, or one of the names that are configured.
 */
import { isIP } from 'node:net'
import { LoomlogError } from '@loomlog/errors'
import type { FastifyRequest } from 'fastify'
import { maxBodyBytes } from './limits.ts'
import { RefusedRequest } from './problem.ts'

export const tenantHeader = 'x-loomlog-tenant'

/** @param hostNames in lower case; null: any name */
export function checkHost({ headers, raw }: FastifyRequest, hostNames: readonly string[] | null): void {
  const { host } = headers
  if (host === undefined && raw.httpVersion === '1.0') return
  if (!host) throw new RefusedRequest(400, 'there is no Host header: expected the name and port of this server')
  const name = hostName(host)
  if (name === null) throw new RefusedRequest(400, `Host is ${JSON.stringify(host.slice(0, 80))}: expected NAME:PORT`)
  if (hostNames === null || name === 'localhost' || isIP(name) > 0 || hostNames.includes(name)) return
  const expected = `an IP address, localhost${hostNames.map((each) => `, ${each}`).join('')}`
  throw new RefusedRequest(421, `Host is ${name}: expected ${expected}; LOOMLOG_HTTP_NAMES names more`)
}

/** The name, without the port and the brackets of IPv6; null if the header is malformed. */
function hostName(host: string): string | null {
  if (!/^[\w.:[\]-]{1,255}$/.test(host) || !URL.canParse(`http://${host}`)) return null
  return new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '').toLowerCase()
}

/**
 * Browsers name the site that a request comes from; other clients don't. A link of another site may open the
 * inspector's page: it is a file without data, and no other page may frame it.
 */
export function checkOrigin(request: FastifyRequest): void {
  const { headers } = request
  const { host, origin, 'sec-fetch-site': site = 'none' } = headers
  if (origin === undefined && isOpeningPage(request)) return
  const isOwn = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)
  if (isOwn && (site === 'none' || site === 'same-origin')) return
  throw new RefusedRequest(403, 'this request comes from a page of another site')
}

function isOpeningPage({ method, url, headers }: FastifyRequest): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers
  return method === 'GET' && /^\/(\?|$)/.test(url) && mode === 'navigate' && destination === 'document'
}

/** Refuses ambiguous encodings: they could name another tenant or space than the caller means. */
export function checkEncodings({ raw, url }: FastifyRequest): void {
  const tenants = raw.rawHeaders.filter((_, at, all) => at % 2 === 1 && all[at - 1]?.toLowerCase() === tenantHeader)
  if (tenants.length > 1)
    throw new LoomlogError('input-invalid', `${tenantHeader} is given more than once: expected one`)
  for (const tenant of tenants) tenantFrom(tenant)
  if (/[^\x21-\x7e]/.test(url) || !isDecodable(url)) {
    throw new LoomlogError('input-invalid', 'the path or the query is not percent-encoded UTF-8')
  }
}

/**
 * The tenant that the header names: ASCII as it stands, any other character percent-encoded as UTF-8
 * (`encodeURIComponent`). `%` itself is written `%25`.
 * @throws LoomlogError `input-invalid`
 */
export function tenantFrom(value: string): string {
  if (/[^\x20-\x7e]/.test(value)) {
    throw new LoomlogError(
      'input-invalid',
      `${tenantHeader} has characters other than ASCII: expected them percent-encoded`,
    )
  }
  try {
    return decodeURIComponent(value)
  } catch {
    throw new LoomlogError(
      'input-invalid',
      `${tenantHeader} is ${JSON.stringify(value.slice(0, 80))}: expected UTF-8, percent-encoded`,
    )
  }
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.replaceAll(/%(?![\da-f]{2})/gi, '%25'))
    return true
  } catch {
    return false
  }
}

/** The bytes that a body may take in memory. A body without a length counts as the largest one. */
export function announcedBytes({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return maxBodyBytes
  return Math.min(Number(headers['content-length'] ?? 0) || 0, maxBodyBytes)
}
