/**
 * Prices of tokens: `LOOMLOG_PRICES=MODEL=INPUT/OUTPUT`, separated by commas, for a million tokens in any currency.
 * Models are named as in LOOMLOG_MODEL. The cost of a model without a price is unknown, never zero.
 */
import { invalidSetting } from '@loomlog/errors/invalid-setting'
import type { Environment } from './environment.ts'

export interface Price {
  /** Price of a million input tokens; `output` likewise. */
  readonly input: number
  readonly output: number
}

/** Prices by the name of the model. */
export type Prices = ReadonlyMap<string, Price>

export interface Tokens {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** @throws LoomlogError `config-invalid` */
export function pricesFrom(environment: Environment): Prices {
  const text = environment.LOOMLOG_PRICES ?? ''
  const given = text.split(',').filter((part) => part.trim() !== '')
  return new Map(given.map((part) => priceFrom(part.trim(), text)))
}

/** Null: the model has no price. */
export function moneyFor(prices: Prices, model: string, { inputTokens, outputTokens }: Tokens): number | null {
  const price = prices.get(model) ?? prices.get(model.replace(/^openai:/, ''))
  return price ? (inputTokens * price.input + outputTokens * price.output) / 1_000_000 : null
}

/** A model's name may hold an equals sign; its price does not. */
function priceFrom(part: string, text: string): readonly [model: string, price: Price] {
  const [, model = '', input = '', output = ''] = /^(.+)=(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(part) ?? []
  if (model === '')
    throw invalidSetting('LOOMLOG_PRICES', text, 'MODEL=INPUT/OUTPUT for a million tokens, such as small=0.15/0.6')
  return [model, { input: Number(input), output: Number(output) }]
}
