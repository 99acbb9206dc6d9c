/** The endpoints and embedders that the environment names. */
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

export type EmbedderConfig =
  | { readonly kind: 'words' }
  | { readonly kind: 'use-lite'; readonly threads: number }
  | { readonly kind: 'openai'; readonly endpoint: EndpointConfig; readonly model: string; readonly dimensions: number }
  | { readonly kind: 'transformers'; readonly model: string; readonly dimensions: number }

const dimensionsRange = { fallback: null, least: 1, most: 16_384 } as const

/** LOOMLOG_EMBEDDER first, then LOOMLOG_MORE_EMBEDDERS, and the two that come with loomlog. @throws LoomlogError `config-invalid` */
export function embedderConfigs(environment: Environment): readonly EmbedderConfig[] {
  const more = (environment.LOOMLOG_MORE_EMBEDDERS ?? '').split(',').map((given) => given.trim())
  return [
    first(environment),
    ...more.filter((given) => given !== '').map((given) => another(environment, given)),
    ...['words', 'use-lite'].map((given) => another(environment, given)),
  ]
}

function first(environment: Environment): EmbedderConfig {
  const given = environment.LOOMLOG_EMBEDDER ?? 'words'
  const dimensions = () => wholeNumber(environment, 'LOOMLOG_EMBEDDER_DIMENSIONS', dimensionsRange)
  const found = embedder(environment, given, dimensions)
  if (found === null)
    throw invalidSetting('LOOMLOG_EMBEDDER', given, 'words, use-lite, openai:MODEL or transformers:MODEL')
  return found
}

/** Parses an embedder of LOOMLOG_MORE_EMBEDDERS: its dimensions follow a slash at the end. */
function another(environment: Environment, given: string): EmbedderConfig {
  const name = 'LOOMLOG_MORE_EMBEDDERS'
  const [, model = given, size = ''] = /^(.+)\/([^/]+)$/.exec(given) ?? []
  const found = embedder(environment, model, () => wholeNumber({ [name]: size }, name, dimensionsRange))
  if (found === null)
    throw invalidSetting(name, given, 'words, use-lite, openai:MODEL/DIMENSIONS or transformers:MODEL/DIMENSIONS')
  return found
}

function embedder(environment: Environment, given: string, dimensions: () => number): EmbedderConfig | null {
  const [kind, ...rest] = given.split(':')
  const model = rest.join(':')
  if (given === 'words') return { kind: 'words' }
  if (kind === 'use-lite') {
    return { kind, threads: wholeNumber(environment, 'LOOMLOG_EMBEDDER_THREADS', { fallback: 2, least: 1, most: 64 }) }
  }
  if (model === '') return null
  if (kind === 'transformers') return { kind, model, dimensions: dimensions() }
  return kind === 'openai'
    ? { kind, endpoint: endpointConfig(environment, model), model, dimensions: dimensions() }
    : null
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
  const apiKey = environment.LOOMLOG_API_KEY
  if (!apiKey) throw new LoomlogError('config-invalid', `LOOMLOG_API_KEY is not set, and ${neededBy} needs it`)
  const maxConcurrent = wholeNumber(environment, 'LOOMLOG_MODEL_CONCURRENCY', { fallback: 8, least: 1, most: 1_024 })
  return { baseUrl, apiKey, maxConcurrent, timeoutMs: modelTimeoutMs(environment, 120_000) }
}

export function modelTimeoutMs(environment: Environment, fallback: number): number {
  return wholeNumber(environment, 'LOOMLOG_MODEL_TIMEOUT_MS', { fallback, least: 1_000, most: 3_600_000 })
}
