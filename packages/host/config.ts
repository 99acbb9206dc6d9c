/**
 * What a process is told from outside: environment variables, checked at start. Every one has a default, and a wrong value is
 * refused with its name, the value and what was expected. Secrets are never part of a message.
 */
import { LoomlogError } from '@loomlog/errors'

export interface EndpointConfig {
  /** Up to and with `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
}

export type EmbedderConfig =
  | { readonly kind: 'use-lite'; readonly threads: number }
  | { readonly kind: 'openai'; readonly endpoint: EndpointConfig; readonly dimensions: number }
  | { readonly kind: 'transformers'; readonly model: string; readonly dimensions: number }

export interface Config {
  /** The folder that holds the log, the views and what can be made from them again. */
  readonly dir: string
  /** Partitions of a new log; one that exists keeps its own. */
  readonly partitions: number
  /** A process that is not heard of for this long loses its partitions to others, in ms. */
  readonly sessionMs: number
  /** Null: every task is answered by rules. */
  readonly model: EndpointConfig | null
  readonly embedder: EmbedderConfig
}

type Environment = { readonly [name: string]: string | undefined }

/** @throws LoomlogError `config-invalid` */
export function configFrom(environment: Environment): Config {
  return {
    dir: environment.LOOMLOG_DIR ?? '.loomlog',
    partitions: wholeNumber(environment, 'LOOMLOG_PARTITIONS', { fallback: 4, least: 1, most: 1024 }),
    sessionMs: wholeNumber(environment, 'LOOMLOG_SESSION_MS', { fallback: 5_000, least: 500, most: 600_000 }),
    model: environment.LOOMLOG_MODEL ? endpoint(environment, environment.LOOMLOG_MODEL) : null,
    embedder: embedder(environment),
  }
}

function embedder(environment: Environment): EmbedderConfig {
  const given = environment.LOOMLOG_EMBEDDER ?? 'use-lite'
  const [kind, ...rest] = given.split(':')
  const model = rest.join(':')
  if (kind === 'use-lite') {
    return { kind, threads: wholeNumber(environment, 'LOOMLOG_EMBEDDER_THREADS', { fallback: 2, least: 1, most: 64 }) }
  }
  if ((kind === 'openai' || kind === 'transformers') && model !== '') {
    const dimensions = wholeNumber(environment, 'LOOMLOG_EMBEDDER_DIMENSIONS', {
      fallback: null,
      least: 1,
      most: 16_384,
    })
    return kind === 'openai'
      ? { kind, endpoint: endpoint(environment, model), dimensions }
      : { kind, model, dimensions }
  }
  throw invalid('LOOMLOG_EMBEDDER', given, 'use-lite, openai:MODEL or transformers:MODEL')
}

function endpoint(environment: Environment, model: string): EndpointConfig {
  const baseUrl = environment.LOOMLOG_MODEL_URL ?? 'https://api.openai.com/v1'
  if (!URL.canParse(baseUrl)) throw invalid('LOOMLOG_MODEL_URL', baseUrl, 'a URL up to and with /v1')
  const apiKey = environment.LOOMLOG_API_KEY
  if (!apiKey) throw new LoomlogError('config-invalid', `LOOMLOG_API_KEY is not set, and ${model} needs it`)
  return { baseUrl, apiKey, model }
}

function wholeNumber(
  environment: Environment,
  name: string,
  range: { readonly fallback: number | null; readonly least: number; readonly most: number },
): number {
  const text = environment[name]
  if (text === undefined && range.fallback !== null) return range.fallback
  const value = Number(text)
  if (text !== undefined && Number.isInteger(value) && value >= range.least && value <= range.most) return value
  throw invalid(name, text ?? 'not set', `a whole number from ${range.least} to ${range.most}`)
}

function invalid(name: string, value: string, expected: string): LoomlogError {
  return new LoomlogError('config-invalid', `${name} is ${JSON.stringify(value)}: expected ${expected}`)
}
