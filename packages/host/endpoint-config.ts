/** The endpoint of models that the environment names, and the limits on its use. */
import { LoomlogError } from '@loomlog/errors'
import { invalidSetting } from '@loomlog/errors/invalid-setting'
import type { SpendingLimits } from '@loomlog/models/spending-limit'
import { type Environment, wholeNumber } from './environment.ts'

export interface EndpointConfig {
  /** Up to and with `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** In-flight limit of this process for chat calls; embeddings have as many slots of their own. */
  readonly maxConcurrent: number
  /** A call that takes longer has failed, and is retried. */
  readonly timeoutMs: number
}

/** Without a variable there is no limit. @throws LoomlogError `config-invalid` */
export function spendingLimits(environment: Environment): SpendingLimits {
  const tokens = 'LOOMLOG_MODEL_TOKENS_PER_MINUTE'
  const money = environment.LOOMLOG_MODEL_MONEY_PER_DAY
  if (money !== undefined && !/^\d+(\.\d+)?$/.test(money))
    throw invalidSetting(
      'LOOMLOG_MODEL_MONEY_PER_DAY',
      money,
      'an amount in the currency of LOOMLOG_PRICES, such as 5 or 0.5',
    )
  return {
    tokensPerMinute:
      environment[tokens] === undefined
        ? null
        : wholeNumber(environment, tokens, { fallback: null, least: 1, most: 1_000_000_000 }),
    moneyPerDay: money === undefined ? null : Number(money),
  }
}

/** @param neededBy the setting that needs the endpoint, for the message */
export function endpointConfig(environment: Environment, neededBy: string): EndpointConfig {
  const baseUrl = environment.LOOMLOG_MODEL_URL ?? 'https://api.openai.com/v1'
  if (!URL.canParse(baseUrl)) throw invalidSetting('LOOMLOG_MODEL_URL', baseUrl, 'a URL up to and with /v1')
  const { username, password } = new URL(baseUrl)
  if (username !== '' || password !== '')
    throw new LoomlogError(
      'config-invalid',
      'LOOMLOG_MODEL_URL has a user name or a password: expected none, since messages show it',
    )
  const apiKey = environment.LOOMLOG_API_KEY
  if (!apiKey) throw new LoomlogError('config-invalid', `LOOMLOG_API_KEY is not set, and ${neededBy} needs it`)
  const maxConcurrent = wholeNumber(environment, 'LOOMLOG_MODEL_CONCURRENCY', { fallback: 8, least: 1, most: 1_024 })
  return { baseUrl, apiKey, maxConcurrent, timeoutMs: modelTimeoutMs(environment, 120_000) }
}

export function modelTimeoutMs(environment: Environment, fallback: number): number {
  return wholeNumber(environment, 'LOOMLOG_MODEL_TIMEOUT_MS', { fallback, least: 1_000, most: 3_600_000 })
}
