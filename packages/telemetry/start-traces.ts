/**
 * Starts the export of spans over OTLP/HTTP (JSON), configured by OpenTelemetry's own environment variables. Without an
 * endpoint nothing starts, and the SDK isn't loaded. Export never holds up work: a full queue drops spans, and a
 * collector that is away is reported.
 */
import { invalidSetting } from '@loomlog/errors/invalid-setting'
import { installTracer } from './spans.ts'
import type { Environment } from './trace-settings.ts'

export interface TraceOptions {
  readonly environment: Environment
  /** Default of the service's name, if the environment has none. */
  readonly service: string
  readonly messagingSystem: 'sqlite' | 'kafka'
  /** Reports why spans can't be exported, at most once a minute. */
  onExportError(text: string): void
}

export interface RunningTraces {
  /** Exports the spans that have ended, within `flushWithinMs`. Idempotent. */
  close(): Promise<void>
}

/** Limit of the last export. A process has ten seconds to stop. */
const flushWithinMs = 2_000
const reportEveryMs = 60_000
/** The variable for traces takes precedence over the one for all signals. */
const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']
const protocols = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']

/** Null: not configured. @throws LoomlogError `config-invalid` */
export async function startTraces(options: TraceOptions): Promise<RunningTraces | null> {
  const { environment, onExportError } = options
  if (!isConfigured(environment)) return null
  const { openExporter } = await import('./exporter.ts')
  const { tracer, shutdown } = openExporter(options, limited(onExportError))
  installTracer(tracer)
  let closing: Promise<void> | null = null
  return {
    close() {
      installTracer(null)
      closing ??= Promise.race([shutdown().catch(() => {}), timeout(flushWithinMs)])
      return closing
    },
  }
}

/** As OpenTelemetry specifies, an empty variable counts as unset. */
function isConfigured(environment: Environment): boolean {
  const exporter = environment.OTEL_TRACES_EXPORTER || 'otlp'
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || exporter === 'none') return false
  const [endpoint, url = ''] = firstSet(endpoints, environment) ?? []
  if (endpoint === undefined) return false
  if (exporter !== 'otlp') throw invalidSetting('OTEL_TRACES_EXPORTER', exporter, 'otlp or none')
  const [variable, protocol = ''] = firstSet(protocols, environment) ?? []
  if (variable !== undefined && !protocol.startsWith('http/')) throw invalidSetting(variable, protocol, 'http/json')
  if (!URL.canParse(url) || !/^https?:/i.test(url)) throw invalidSetting(endpoint, url, 'an http:// or https:// URL')
  return true
}

/** The first of these variables that has a value, with the value. */
function firstSet(names: readonly string[], environment: Environment): readonly [string, string] | null {
  for (const name of names) {
    const value = environment[name]
    if (value) return [name, value]
  }
  return null
}

function limited(report: (text: string) => void): (text: string) => void {
  let reportedAt = Number.NEGATIVE_INFINITY
  return (text) => {
    if (performance.now() - reportedAt < reportEveryMs) return
    reportedAt = performance.now()
    report(text)
  }
}

function timeout(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
