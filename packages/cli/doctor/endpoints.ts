/**
 * Findings on the programs that the settings name: the endpoint of models and embeddings, Kafka's brokers, the schema
 * registry. Each is asked once, and never for something that costs money. No key is part of a text.
 */
import { connect } from 'node:net'
import type { Config } from '@loomlog/host/config'
import { away, type Finding, ok, problem, warning } from './check-result.ts'

const modelTimeoutMs = 3_000
const brokerTimeoutMs = 5_000
const mendEndpoint = 'set LOOMLOG_MODEL_URL and LOOMLOG_API_KEY'
const mendRegistry = 'set LOOMLOG_REGISTRY_URL'

export type Endpoints = Pick<Config, 'endpoint' | 'log' | 'model' | 'embedders'>

export async function endpointFindings(config: Endpoints): Promise<readonly Finding[]> {
  const { log } = config
  const models = modelFindings(config)
  if (log.kind === 'sqlite') return models
  const cluster = [...log.brokers.map(brokerFinding), registryFinding(log.registry)]
  return [...(await models), ...(await Promise.all(cluster))]
}

/** The models of an endpoint, and its embedders, which have the same address and key. */
async function modelFindings({ endpoint, model, embedders }: Endpoints): Promise<readonly Finding[]> {
  if (endpoint === null) return [ok('models', 'none is configured: the memory is derived by rules')]
  const { baseUrl, apiKey } = endpoint
  try {
    const headers = { authorization: `Bearer ${apiKey}` }
    const url = `${baseUrl.replace(/\/+$/, '')}/models`
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(modelTimeoutMs) })
    const { status } = response
    if (isRefusal(status)) return [problem('models', `${baseUrl} refuses the key (${status})`, mendEndpoint)]
    if (status === 404) return [warning('models', `${baseUrl} has no list of models (404)`, mendEndpoint)]
    if (status >= 500 || status === 429) return [away('models', `${baseUrl} fails (${status})`, mendEndpoint)]
    const listed = listedModels(await response.json().catch(() => null))
    const wanted = [
      { setting: 'LOOMLOG_MODEL', name: model },
      ...embedders.map((each) => ({ setting: 'LOOMLOG_EMBEDDER', name: endpointModel(each.vectorSpace) })),
    ]
    return [
      ok('models', `${baseUrl} replies (${status})`),
      ...wanted.flatMap(({ setting, name }) =>
        name === null || listed === null || isListed(name, listed)
          ? []
          : [warning('models', `${baseUrl} does not list ${name}`, `set ${setting}`)],
      ),
    ]
  } catch (error) {
    return [away('models', `${baseUrl} does not reply: ${reasonOf(error)}`, mendEndpoint)]
  }
}

/** The model of an embedder behind the endpoint; null: the embedder runs in the process. */
function endpointModel({ name, dimensions }: Config['embedders'][number]['vectorSpace']): string | null {
  return name.startsWith('openai:') ? name.slice('openai:'.length, -`-${dimensions}`.length) : null
}

/** Null: the endpoint has no list of models, as some don't. */
function listedModels(body: unknown): readonly string[] | null {
  const { data } = (body ?? {}) as { readonly data?: unknown }
  return Array.isArray(data) ? data.map((each) => String(each?.id)) : null
}

/** Ollama lists `NAME:latest`, and accepts NAME. */
function isListed(name: string, listed: readonly string[]): boolean {
  return listed.includes(name) || listed.includes(`${name}:latest`)
}

function brokerFinding(broker: string): Promise<Finding> {
  const [, host = '', port = ''] = /^\[?([^\]]*)\]?:(\d+)$/.exec(broker) ?? []
  const mend = 'set LOOMLOG_KAFKA_BROKERS'
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: brokerTimeoutMs })
    const end = (finding: Finding) => {
      socket.destroy()
      resolve(finding)
    }
    socket.once('connect', () => end(ok('kafka', `${broker} accepts connections`)))
    socket.once('timeout', () => end(away('kafka', `${broker} does not reply`, mend)))
    socket.once('error', (error) => end(away('kafka', `${broker} can't be reached: ${reasonOf(error)}`, mend)))
  })
}

/** Opening the log shows more, such as a wrong certificate. */
async function registryFinding({ url, auth }: { url: string; auth?: { username: string; password: string } }) {
  try {
    const headers = auth && { authorization: `Basic ${btoa(`${auth.username}:${auth.password}`)}` }
    const { status } = await fetch(url, { signal: AbortSignal.timeout(brokerTimeoutMs), ...(headers && { headers }) })
    return isRefusal(status)
      ? problem('registry', `${url} refuses the user (${status})`, 'set LOOMLOG_REGISTRY_USERNAME and _PASSWORD')
      : ok('registry', `${url} replies (${status})`)
  } catch (error) {
    return away('registry', `${url} does not reply: ${reasonOf(error)}`, mendRegistry)
  }
}

function isRefusal(status: number): boolean {
  return status === 401 || status === 403
}

/** The cause says more than "fetch failed". A host with several addresses fails with a list of errors. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  return cause instanceof Error ? reasonOf(cause) : message
}
