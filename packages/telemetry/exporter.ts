/**
 * OpenTelemetry's SDK: sampler, queue, exporter and resource, configured by its environment variables. The exporter
 * itself reads the variables that begin with OTEL_EXPORTER_OTLP, from the process.
 */
import { DiagLogLevel, diag } from '@opentelemetry/api'
import { ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import { openTelemetryTracer } from './open-telemetry.ts'
import type { Tracer } from './spans.ts'
import { type Environment, queueFrom, samplerFrom } from './trace-settings.ts'

interface ExporterOptions {
  readonly environment: Environment
  readonly service: string
  readonly messagingSystem: string
}

/** @param report called with the reason why spans are not exported. @throws LoomlogError `config-invalid` */
export function openExporter(
  { environment, service, messagingSystem }: ExporterOptions,
  report: (text: string) => void,
): { readonly tracer: Tracer; shutdown(): Promise<void> } {
  const ignore = () => {}
  const logger = { error: ignore, warn: report, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const exporter = reporting(new OTLPTraceExporter(), report)
  const named = resourceFromAttributes({ 'service.name': service })
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(named)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerFrom(environment),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...queueFrom(environment) })],
  })
  const tracer = openTelemetryTracer(provider.getTracer('loomlog'), messagingSystem)
  return { tracer, shutdown: () => provider.shutdown() }
}

function reporting(exporter: SpanExporter, report: (text: string) => void): SpanExporter {
  return {
    export(spans, onResult) {
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.FAILED)
          report(`${spans.length} spans were not exported: ${result.error?.message ?? 'the collector refused them'}`)
        onResult(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}
