/**
 * Sends requests generated from the OpenAPI document to a server of two tenants, and judges each reply. A reply is
 * below 500, or 503 with Retry-After. A refusal has problem details, a success fits its schema, and neither has a word
 * of the other tenant.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type ApiDocument, type ApiRequest, spaces, tenants } from './api-requests.ts'

export interface ApiFuzzResult {
  readonly statuses: { readonly [status: string]: number }
  /** Operations that succeeded at least once. */
  readonly succeeded: number
  /** The first replies that break a promise, each with its request. */
  readonly broken: readonly string[]
}

export interface ApiReply {
  readonly status: number
  readonly headers: { readonly [name: string]: unknown }
  readonly body: string
}

export type Send = (request: ApiRequest) => Promise<ApiReply>

/** Longer than the deadline of any request that the fuzz makes. */
const hangMs = 60_000
const sideBySide = 8
const mostNamed = 10
/**
 * Statuses of refusals that the document must declare for a route. Other ones, such as 405, are those of HTTP itself.
 */
const ofRoutes = new Set([400, 401, 403, 404, 409, 413, 415, 429, 503, 507])

/** A word that is only in this tenant's utterances. */
const canaryOf = (tenant: string) => `canary${tenants.indexOf(tenant as (typeof tenants)[number])}zq`

/** Utterances of both tenants, with the same ids. */
export async function plantCanaries(send: Send): Promise<void> {
  for (const tenant of tenants) {
    const canary = canaryOf(tenant)
    const texts = [
      `I live in ${canary}.`,
      `My sister moved to ${canary} in January.`,
      `I work at ${canary} as a nurse.`,
    ]
    const body = texts.map((text, n) => ({
      id: `u${n}`,
      conversation: 'c',
      speaker: 'Maya',
      at: '2026-03-02T09:00:00Z',
      text,
    }))
    for (const space of spaces) {
      const path = `/v1/spaces/${space}/utterances`
      const request = { tenant, template: '', mediaType: 'application/json' }
      const { status } = await send({ ...request, method: 'POST', path, body: JSON.stringify(body) })
      if (status !== 201) throw new Error(`the canaries are refused with ${status}`)
      await send({
        ...request,
        method: 'POST',
        path: `/v1/spaces/${space}/conversations/c/end`,
        mediaType: null,
        body: null,
      })
    }
  }
}

export async function fuzzApi(
  requests: readonly ApiRequest[],
  document: ApiDocument,
  send: Send,
): Promise<ApiFuzzResult> {
  const faultOf = judgeBy(document)
  const statuses: { [status: string]: number } = {}
  const succeeded = new Set<string>()
  const broken: string[] = []
  const left = requests.values()
  async function client(): Promise<void> {
    for (const request of left) {
      const reply = await withinTime(send(request))
      statuses[reply.status] = (statuses[reply.status] ?? 0) + 1
      if (reply.status < 300) succeeded.add(`${request.method} ${request.template}`)
      const fault = faultOf(request, reply)
      if (fault !== null && broken.length < mostNamed)
        broken.push(`${fault}: ${JSON.stringify(request).slice(0, 800)} -> ${reply.status} ${reply.body.slice(0, 400)}`)
    }
  }
  await Promise.all(Array.from({ length: sideBySide }, client))
  return { statuses, succeeded: succeeded.size, broken }
}

/** Waits for a reply. Status 0: it failed, or did not come in time. */
async function withinTime(reply: Promise<ApiReply>): Promise<ApiReply> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<ApiReply>((resolve) => {
    timer = setTimeout(() => resolve({ status: 0, headers: {}, body: 'no reply in time' }), hangMs)
  })
  const failed = reply.catch((error: Error) => ({ status: 0, headers: {}, body: String(error.cause ?? error) }))
  return await Promise.race([failed, late]).finally(() => clearTimeout(timer))
}

function judgeBy({ paths, components }: ApiDocument): (request: ApiRequest, reply: ApiReply) => string | null {
  const ajv = new Ajv2020({ strict: false, logger: false })
  const validators = new Map<string, ValidateFunction>()
  return ({ method, template, tenant }, reply) => {
    const { status, headers, body } = reply
    const others = tenants.filter((each) => each !== tenant).map(canaryOf)
    if (others.some((canary) => body.includes(canary))) return 'a word of another tenant'
    const { responses = {} } = paths[template]?.[method.toLowerCase()] ?? {}
    if (ofRoutes.has(status) && responses[status] === undefined) return 'a refusal that the document lacks'
    if (status === 0 || status >= 400) return isProtocolError(template, body) ? null : faultOfRefusal(reply)
    if (!String(headers['content-type'] ?? '').startsWith('application/json')) return null
    const schema = responses[status]?.content?.['application/json']?.schema
    if (schema === undefined) return 'a status that the document lacks'
    const key = `${method} ${template} ${status}`
    const validate = validators.get(key) ?? ajv.compile({ ...schema, components })
    validators.set(key, validate)
    return validate(JSON.parse(body)) ? null : `not in its schema: ${ajv.errorsText(validate.errors)}`
  }
}

/** The Model Context Protocol has errors of its own form. */
function isProtocolError(template: string, body: string): boolean {
  return template.endsWith('/mcp') && body.startsWith('{"jsonrpc":"2.0","error":')
}

function faultOfRefusal({ status, headers }: ApiReply): string | null {
  if (status === 503) return headers['retry-after'] === undefined ? '503 without Retry-After' : null
  if (status === 0 || status >= 500) return 'a failure of the server'
  const isProblem = String(headers['content-type'] ?? '').startsWith('application/problem+json')
  return isProblem ? null : 'a refusal without problem details'
}
