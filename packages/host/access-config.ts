/** The settings of access to the gateway. */
import { type CallerLimitSettings, defaultCallerLimits } from '@loomlog/access/caller-limits'
import { type Environment, wholeNumber } from './environment.ts'

/** By key or token. @throws LoomlogError `config-invalid` */
export function callerLimits(environment: Environment): CallerLimitSettings {
  const limit = (name: string, fallback: number) =>
    wholeNumber(environment, name, { fallback, least: 1, most: 1_000_000_000 })
  const { requestsPerS, bytesPerS, concurrency, liveReaders } = defaultCallerLimits
  return {
    requestsPerS: limit('LOOMLOG_KEY_REQUESTS_PER_S', requestsPerS),
    bytesPerS: limit('LOOMLOG_KEY_BYTES_PER_S', bytesPerS),
    concurrency: limit('LOOMLOG_KEY_CONCURRENCY', concurrency),
    liveReaders: limit('LOOMLOG_KEY_LIVE_READERS', liveReaders),
  }
}
