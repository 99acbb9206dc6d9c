/** The embedders that the environment names. */
import { invalidSetting } from '@loomlog/errors/invalid-setting'
import { bundledEmbedders, type EmbedderConfig, modelEmbedders } from './embedder-kinds.ts'
import { type Environment, wholeNumber } from './environment.ts'
import { isRetiredSetting } from './retired-embedders.ts'

const dimensionsRange = { fallback: null, least: 1, most: 16_384 } as const

const retirementAdvice =
  '. This version has it no more: remove the setting. A memory that was derived with it still serves, ' +
  'found by its words alone, until it is derived again'

/** LOOMLOG_EMBEDDER first, then LOOMLOG_MORE_EMBEDDERS, and the bundled ones. @throws LoomlogError `config-invalid` */
export function embedderConfigs(environment: Environment): readonly EmbedderConfig[] {
  const more = (environment.LOOMLOG_MORE_EMBEDDERS ?? '').split(',').map((given) => given.trim())
  return [
    first(environment),
    ...more.filter((given) => given !== '').map((given) => another(environment, given)),
    ...bundledEmbedders.values(),
  ]
}

function first(environment: Environment): EmbedderConfig {
  const given = environment.LOOMLOG_EMBEDDER ?? 'words'
  const dimensions = () => wholeNumber(environment, 'LOOMLOG_EMBEDDER_DIMENSIONS', dimensionsRange)
  const found = embedder(environment, given, dimensions)
  if (found === null) throw invalidSetting('LOOMLOG_EMBEDDER', given, expected('MODEL', given))
  return found
}

/** Parses an embedder of LOOMLOG_MORE_EMBEDDERS: its dimensions follow a slash at the end. */
function another(environment: Environment, given: string): EmbedderConfig {
  const name = 'LOOMLOG_MORE_EMBEDDERS'
  const [, model = given, size = ''] = /^(.+)\/([^/]+)$/.exec(given) ?? []
  const found = embedder(environment, model, () => wholeNumber({ [name]: size }, name, dimensionsRange))
  if (found === null) throw invalidSetting(name, given, expected('MODEL/DIMENSIONS', given))
  return found
}

function embedder(environment: Environment, given: string, dimensions: () => number): EmbedderConfig | null {
  const [kind = '', ...rest] = given.split(':')
  const model = rest.join(':')
  if (model === '') return bundledEmbedders.get(given) ?? null
  const configOf = modelEmbedders.get(kind)
  return configOf ? configOf({ environment, model, dimensions: dimensions() }) : null
}

function expected(model: 'MODEL' | 'MODEL/DIMENSIONS', given: string): string {
  const names = [...bundledEmbedders.keys(), ...[...modelEmbedders.keys()].map((kind) => `${kind}:${model}`)]
  const advice = isRetiredSetting(given) ? retirementAdvice : ''
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}${advice}`
}
