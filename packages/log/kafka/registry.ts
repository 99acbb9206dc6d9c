/**
 * Writer schemas in a registry with Confluent's API, through @kafkajs/confluent-schema-registry. This file adds two
 * things. A subject's compatibility is set before its first version, so that no process meets the registry's default in
 * between. And the schema's own text is kept, since the library's parsed schema loses the attributes that are not
 * Avro's.
 */
import { request as httpRequest } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { COMPATIBILITY, SchemaRegistry as ConfluentRegistry, SchemaType } from '@kafkajs/confluent-schema-registry'
import { LoomlogError } from '@loomlog/errors'
import type { Compatibility, SchemaRegistry } from '../port.ts'
import { retryingSchemaLookup } from './retrying-schema-lookup.ts'

export interface RegistryOptions {
  /** Includes the version of the API, if the path has one. */
  readonly url: string
  readonly auth?: { readonly username: string; readonly password: string }
  /** PEM of a certificate authority that Node doesn't trust by default. */
  readonly ca?: string
}

type Middleware = NonNullable<ConstructorParameters<typeof ConfluentRegistry>[0]['middlewares']>[number]

const contentType = 'application/vnd.schemaregistry.v1+json'
const timeoutMs = 10_000
/** Characters of a registry's refusal that an error shows: the refusal may be an HTML page. */
const mostShown = 500
const mostTries = 5
const betweenTriesMs = 50
/** The status of a request without a response. The library itself uses 400 and 500 for it. */
const noAnswer = 0
const levels: { readonly [level in Compatibility]: COMPATIBILITY } = {
  FULL_TRANSITIVE: COMPATIBILITY.FULL_TRANSITIVE,
  BACKWARD_TRANSITIVE: COMPATIBILITY.BACKWARD_TRANSITIVE,
}

export function schemaRegistry({ url, auth, ca }: RegistryOptions): SchemaRegistry {
  const host = url.replace(/\/+$/, '')
  const texts = new Map<number, string>()
  const middlewares = [withTimeout, keepingTexts(texts)]
  const agent = ca === undefined ? {} : { agent: new Agent({ ca }) }
  const registry = new ConfluentRegistry({ host, ...(auth ? { auth } : {}), ...agent, middlewares })

  /** The library has no such request, and `fetch` takes no certificate authority. */
  function setLevel(subject: string, compatibility: Compatibility): Promise<void> {
    const basic = auth && { auth: `${auth.username}:${auth.password}` }
    const to = new URL(`${host}/config/${encodeURIComponent(subject)}`)
    const options = { method: 'PUT', headers: { 'content-type': contentType }, timeout: timeoutMs, ...basic, ...agent }
    return new Promise((resolve, reject) => {
      const sent = (to.protocol === 'https:' ? httpsRequest : httpRequest)(to, options, async (response) => {
        const answer = await text(response).catch(() => '')
        const { statusCode = noAnswer } = response
        if (statusCode >= 200 && statusCode < 300) resolve()
        else reject(withStatus(statusCode, answer.slice(0, mostShown)))
      })
      sent.on('timeout', () => sent.destroy(new Error(`no response within ${timeoutMs} ms`)))
      sent.on('error', (cause: NodeJS.ErrnoException) =>
        reject(withStatus(noAnswer, cause.message || String(cause.code))),
      )
      sent.end(JSON.stringify({ compatibility }))
    })
  }

  return {
    async register(subject, schema, compatibility) {
      const doing = `registering the schema of ${subject}`
      try {
        await retriedIfExists(() => setLevel(subject, compatibility))
        const options = { subject, compatibility: levels[compatibility] }
        const { id } = await retriedIfExists(() => registry.register({ type: SchemaType.AVRO, schema }, options))
        texts.set(id, schema)
        return id
      } catch (error) {
        throw failure(error, doing, host)
      }
    },
    schema: retryingSchemaLookup(async (id) => {
      const doing = `looking up schema ${id}`
      try {
        if (!texts.has(id)) await registry.getSchema(id)
      } catch (error) {
        throw statusOf(error) === 404
          ? new LoomlogError('schema-unknown', `there is no schema with id ${id} at ${host}`, { cause: error })
          : failure(error, doing, host)
      }
      const text = texts.get(id)
      if (text === undefined)
        throw new Error(`${doing}: the library requested no schema, and this process registered none`)
      return text
    }),
  }
}

/**
 * Retries while the subject "already exists": of two processes that register a new subject at once, a registry may
 * refuse the second, which then finds the version of the first.
 */
async function retriedIfExists<T>(register: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await register()
    } catch (error) {
      if (tries === mostTries || !/already exists/.test((error as Error).message)) throw error
      await sleep(tries * betweenTriesMs)
    }
  }
}

/** The library's requests have no timeout. */
const withTimeout: Middleware = () => ({
  prepareRequest: async (next) => (await next()).enhance({ timeout: timeoutMs }),
})

function keepingTexts(texts: Map<number, string>): Middleware {
  return () => ({
    response: async (next) => {
      const response = await next()
      const id = /\/schemas\/ids\/(\d+)$/.exec(response.request().path())?.[1]
      if (id !== undefined) texts.set(Number(id), response.data<{ schema: string }>().schema)
      return response
    },
  })
}

function failure(cause: unknown, doing: string, host: string): LoomlogError {
  const { message } = cause as Error
  const status = statusOf(cause)
  if (status === 401 || status === 403) {
    return new LoomlogError('config-invalid', `${doing}: ${host} refuses these credentials: ${message}`, { cause })
  }
  if (/certificate|self-signed|unable to verify/.test(message)) {
    return new LoomlogError('config-invalid', `${doing}: ${host} is not trusted: ${message}`, { cause })
  }
  // An error without a status was thrown before the request: no Avro, or a subject at another level.
  const refused = status === 409 || status === 422 || status === null
  if (refused) return new LoomlogError('schema-refused', `${doing}: refused: ${message}`, { cause })
  return new LoomlogError('log-unavailable', `${doing}: the schema registry at ${host} gives no answer: ${message}`, {
    cause,
  })
}

/** Null where no request was made. */
function statusOf(error: unknown): number | null {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : null
}

function withStatus(status: number, message: string): Error {
  return Object.assign(new Error(message), { status })
}
