/**
 * Starts the export of spans over OTLP/HTTP (JSON), configured by OpenTelemetry's own environment variables. Without an endpoint nothing
 * starts, and the SDK isn't loaded. Export never holds up work: a full queue drops spans, and a collector that is away is reported.
 */
import { invalidSetting } from '@loomlog/errors/invalid-setting'
import { installTracer } from './spans.ts'
import type { Environment } from './trace-settings.ts'

export interface TraceOptions {
  readonly environment: Environment
  /** The service's name, unless the environment names it. */
  readonly service: string
  readonly messagingSystem: 'sqlite' | 'kafka'
  /** Reports why spans can't be exported, at most once a minute. */
  onTrouble(text: string): void
}

export interface RunningTraces {
  /** Exports the spans that have ended, within `flushWithinMs`. Idempotent. */
  close(): Promise<void>
}

/** A process has ten seconds to stop. */
const flushWithinMs = 2_000
const reportEveryMs = 60_000
const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']

/** Null: not configured. @throws LoomlogError `config-invalid` */
export async function startTraces(options: TraceOptions): Promise<RunningTraces | null> {
  const { environment, onTrouble } = options
  if (!isConfigured(environment)) return null
  const { openExporter } = await import('./exporter.ts')
  const { tracer, shutdown } = openExporter(options, limited(onTrouble))
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

function isConfigured(environment: Environment): boolean {
  const {
    OTEL_SDK_DISABLED: disabled = '',
    OTEL_TRACES_EXPORTER: exporter = 'otlp',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol = environment.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/json',
  } = environment
  if (disabled.toLowerCase() === 'true' || exporter === 'none' || exporter === '') return false
  const named = endpoints.find((name) => environment[name])
  if (named === undefined) return false
  if (exporter !== 'otlp') throw invalidSetting('OTEL_TRACES_EXPORTER', exporter, 'otlp or none')
  if (!protocol.startsWith('http/')) throw invalidSetting('OTEL_EXPORTER_OTLP_PROTOCOL', protocol, 'http/json')
  const url = environment[named] ?? ''
  if (!URL.canParse(url) || !/^https?:/i.test(url)) throw invalidSetting(named, url, 'an http:// or https:// URL')
  return true
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
