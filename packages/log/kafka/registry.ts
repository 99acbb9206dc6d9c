/**
 * Writer schemas in a Confluent-compatible registry, over its HTTP API. The schema's own text is registered, since anything that
 * parses it first would lose the attributes that are not Avro's.
 */
import { LoomlogError } from '@loomlog/errors'
import type { SchemaRegistry } from '../port.ts'

const contentType = 'application/vnd.schemaregistry.v1+json'
const timeoutMs = 10_000

export function schemaRegistry(registryUrl: string): SchemaRegistry {
  const base = registryUrl.replace(/\/+$/, '')
  return {
    async register(subject, schema, compatibility) {
      const name = encodeURIComponent(subject)
      const config = await request(`${base}/config/${name}`, 'PUT', { compatibility })
      if (config.status !== 200) throw unavailable(`setting the compatibility of ${subject}`, config)
      const answer = await request(`${base}/subjects/${name}/versions`, 'POST', { schema })
      if (answer.status === 409 || answer.status === 422) {
        throw new LoomlogError('schema-refused', `schema of ${subject} refused: ${JSON.stringify(answer.body)}`)
      }
      if (answer.status !== 200) throw unavailable(`registering ${subject}`, answer)
      return (answer.body as { id: number }).id
    },
    async schema(id) {
      const answer = await request(`${base}/schemas/ids/${id}`, 'GET')
      if (answer.status === 404) throw new LoomlogError('schema-unknown', `there is no schema with id ${id} at ${base}`)
      if (answer.status !== 200) throw unavailable(`looking up schema ${id}`, answer)
      return (answer.body as { schema: string }).schema
    },
  }
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

async function request(url: string, method: 'GET' | 'POST' | 'PUT', body?: object): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method,
      headers: { 'content-type': contentType, accept: contentType },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, body: await response.json() }
  } catch (cause) {
    throw new LoomlogError('log-unavailable', `the schema registry does not answer: ${url}`, { cause })
  }
}

function unavailable(doing: string, { status, body }: Answer): LoomlogError {
  return new LoomlogError('log-unavailable', `${doing}: the registry answered ${status}, ${JSON.stringify(body)}`)
}
