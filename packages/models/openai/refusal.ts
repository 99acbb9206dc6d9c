/**
 * Reads what an endpoint's 400, 413 or 422 is about, because the three cases end differently: `content` is an answer (nobody can
 * process this input), `format` means that a simpler way of asking may do, and `configuration` (a parameter, the model's name,
 * the budget) is a fault of ours that must pause the stage: recorded as an answer, it would stay in the log for ever.
 */
import { APIError } from 'openai'

type About = 'content' | 'format' | 'configuration'

export interface Refusal {
  readonly about: About
  /** Status and code only: an endpoint's message may quote people's words, and reasons are kept. */
  readonly reason: string
}

/** Null where the error isn't a refusal of what was sent. */
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
  if (error.param?.startsWith('response_format') || /response_format|json_schema/.test(error.message)) return 'format'
  if (configurationCodes.test(codes) || moneyMessage.test(structuredMessage(error))) return 'configuration'
  return error.param && !contentParameters.test(error.param) ? 'configuration' : 'content'
}

/** Only an OpenAI-style error's own message; a validator's `detail` quotes the input, which may speak of budgets too. */
function structuredMessage(error: APIError): string {
  const body: unknown = error.error
  if (typeof body !== 'object' || body === null || !('message' in body)) return ''
  return typeof body.message === 'string' ? body.message : ''
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\w.-]{1,60}$/.test(value) ? value : null
}
