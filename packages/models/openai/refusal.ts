/**
 * Classifies an endpoint's 400, 413 or 422. `content`: the model can't process this input, which is an answer.
 * `format`: a simpler request form may work. `configuration` (a parameter, the model's name, the budget): an operator's
 * mistake that must pause the stage, since a recorded answer would stay in the log for ever.
 */
import { APIError } from 'openai'

type About = 'content' | 'format' | 'configuration'

export interface Refusal {
  readonly about: About
  /** Status and code only: an endpoint's message may quote people's words, and reasons are kept. */
  readonly reason: string
}

/** Null if the error isn't a refusal of the request. */
export function refusalOf(error: unknown): Refusal | null {
  if (!(error instanceof APIError) || ![400, 413, 422].includes(error.status ?? 0)) return null
  const code = textOf(error.code) ?? textOf(error.type)
  return { about: about(error), reason: `the endpoint refused the input (${error.status}${code ? ` ${code}` : ''})` }
}

const contentCodes = /context_length|context_size|content_filter|content_policy|invalid_prompt|string_above_max/i
const contentParameters = /^(messages|input|prompt)/
const configurationCodes = /unsupported|unknown_parameter|model_not_found|api_key|billing|budget|quota/i
const moneyMessage = /credit balance|billing|budget|quota/i

function about(error: APIError): About {
  const codes = `${error.code ?? ''} ${error.type ?? ''}`
  if (error.status === 413 || contentCodes.test(codes)) return 'content'
  const param = typeof error.param === 'string' ? error.param : ''
  if (param.startsWith('response_format') || /response_format|json[_ ]schema|parse grammar/i.test(error.message))
    return 'format'
  if (configurationCodes.test(codes) || moneyMessage.test(structuredMessage(error))) return 'configuration'
  return param !== '' && !contentParameters.test(param) ? 'configuration' : 'content'
}

/**
 * Only an OpenAI-style error's own message; a validator's `detail` quotes the input, which may speak of budgets too.
 */
function structuredMessage(error: APIError): string {
  const body: unknown = error.error
  if (typeof body !== 'object' || body === null || !('message' in body)) return ''
  return typeof body.message === 'string' ? body.message : ''
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\w.-]{1,60}$/.test(value) ? value : null
}
