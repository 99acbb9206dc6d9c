/**
 * Liveness and readiness over HTTP, for supervisors. `/livez` is 503 when a restart may help: a partition of this
 * process has stalled. `/readyz` is 503, with the reason, while the process does not do its work for the live
 * generation. Both list all conditions. `/metrics` shows the metrics of the process, to this machine only unless
 * LOOMLOG_METRICS is `open`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { LoomlogError } from '@loomlog/errors'
import { invalidSetting } from '@loomlog/errors/invalid-setting'
import type { Registry } from 'prom-client'
import type { Conditions } from './conditions.ts'
import { type Environment, wholeNumber } from './environment.ts'
import { isLoopback } from './loopback.ts'

/** `local`: only requests from this machine. */
type MetricsAccess = 'local' | 'open'

export interface HealthReport {
  /** The work of a ready process: "derives topic-loom under the live generation". */
  readonly readyFor: string
  /** Null: ready. */
  notReady(): string | null
  /** Null: alive. */
  notAlive(): string | null
  readonly conditions: Conditions
  readonly registry: Pick<Registry, 'metrics' | 'contentType'>
}

export interface Health {
  close(): Promise<void>
}

/** On LOOMLOG_HEALTH_PORT, if that is set. @throws LoomlogError `config-invalid`, also if the port is taken */
export async function startHealth(environment: Environment, report: HealthReport): Promise<Health> {
  const [port, access] = [healthPort(environment), metricsAccess(environment)]
  const server = createServer((request, response) => {
    if (request.url === '/metrics') return void showMetrics(request, response, { ...report, access })
    const [code, body] = answer(request.url, report)
    response.writeHead(code, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  if (port === null) return { close }
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new LoomlogError('config-invalid', `LOOMLOG_HEALTH_PORT ${port}: ${cause.message}`, { cause })),
    )
    server.listen(port, resolve)
  })
  return { close }
}

function healthPort(environment: Environment): number | null {
  if (environment.LOOMLOG_HEALTH_PORT === undefined) return null
  return wholeNumber(environment, 'LOOMLOG_HEALTH_PORT', { fallback: null, least: 1, most: 65_535 })
}

function metricsAccess({ LOOMLOG_METRICS: text = 'local' }: Environment): MetricsAccess {
  if (text === 'local' || text === 'open') return text
  throw invalidSetting('LOOMLOG_METRICS', text, 'local or open')
}

function answer(url: string | undefined, report: HealthReport): readonly [code: number, body: object] {
  if (url !== '/livez' && url !== '/readyz') return [404, { status: 'expected /livez, /readyz or /metrics' }]
  const reason = url === '/readyz' ? report.notReady() : report.notAlive()
  const conditions = Object.fromEntries(report.conditions.current)
  const readyFor = url === '/readyz' ? { readyFor: report.readyFor } : {}
  return [reason === null ? 200 : 503, { status: reason ?? 'ok', ...readyFor, conditions }]
}

async function showMetrics(
  { socket }: IncomingMessage,
  response: ServerResponse,
  { registry, access }: HealthReport & { readonly access: MetricsAccess },
): Promise<void> {
  if (access === 'local' && !isLoopback(socket.remoteAddress ?? '')) {
    const status = 'metrics are shown to this machine only: LOOMLOG_METRICS=open shows them to others'
    return void response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ status }))
  }
  try {
    const text = await registry.metrics()
    response.writeHead(200, { 'content-type': registry.contentType }).end(text)
  } catch (error) {
    response.writeHead(500).end((error as Error).message)
  }
}
