/** Settings of sampler and span queue, from environment variables that OpenTelemetry's SDK doesn't read by itself. */
import { LoomlogError } from '@loomlog/errors'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  type BatchSpanProcessorOptions,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'

export type Environment = { readonly [name: string]: string | undefined }

/** @throws LoomlogError `config-invalid` */
export function samplerFrom(environment: Environment): Sampler {
  const name = environment.OTEL_TRACES_SAMPLER || 'parentbased_always_on'
  const [, parentBased, root] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ?? []
  if (root === undefined) {
    const expected = 'always_on, always_off or traceidratio, alone or after parentbased_'
    throw new LoomlogError('config-invalid', `OTEL_TRACES_SAMPLER is ${JSON.stringify(name)}: expected ${expected}`)
  }
  const sampler = rootSampler(root, environment)
  return parentBased === undefined ? sampler : new ParentBasedSampler({ root: sampler })
}

function rootSampler(name: string, environment: Environment): Sampler {
  if (name === 'always_on') return new AlwaysOnSampler()
  if (name === 'always_off') return new AlwaysOffSampler()
  return new TraceIdRatioBasedSampler(numberFrom(environment, 'OTEL_TRACES_SAMPLER_ARG', 1) ?? 1)
}

/** Settings without a variable are absent: the SDK's defaults apply. @throws LoomlogError `config-invalid` */
export function queueFrom(environment: Environment): Omit<BatchSpanProcessorOptions, 'exporter'> {
  const numbers = {
    scheduledDelayMillis: numberFrom(environment, 'OTEL_BSP_SCHEDULE_DELAY'),
    exportTimeoutMillis: numberFrom(environment, 'OTEL_BSP_EXPORT_TIMEOUT'),
    maxQueueSize: numberFrom(environment, 'OTEL_BSP_MAX_QUEUE_SIZE'),
    maxExportBatchSize: numberFrom(environment, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
  }
  return Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== null))
}

function numberFrom(environment: Environment, name: string, most = Number.MAX_SAFE_INTEGER): number | null {
  const text = environment[name]
  if (text === undefined || text === '') return null
  const value = Number(text)
  if (value >= 0 && value <= most) return value
  throw new LoomlogError('config-invalid', `${name} is ${JSON.stringify(text)}: expected a number from 0 to ${most}`)
}
