/**
 * Spans of requests to a model, by OpenTelemetry's conventions for generative AI. They hold names and numbers, never a
 * prompt, an answer or a text.
 */
import { inSpan } from './spans.ts'

export interface ModelCall {
  readonly operation: 'chat' | 'embeddings'
  /** As the endpoint names it. */
  readonly model: string
  readonly baseUrl: string
}

/** The reply of an endpoint; any field may be missing. */
interface Reply {
  readonly id?: string
  readonly model?: string
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number }
  readonly choices?: readonly { readonly finish_reason?: string | null }[]
}

export async function inModelSpan<T extends object>(call: ModelCall, request: () => Promise<T>): Promise<T> {
  const { operation, model, baseUrl } = call
  const name = `${operation} ${model}`
  return await inSpan({ name, kind: 'CLIENT', attributes: requestAttributes(call, new URL(baseUrl)) }, async (span) => {
    const reply = await request()
    span?.set(replyAttributes((reply ?? {}) as Reply))
    return reply
  })
}

function requestAttributes({ operation, model }: ModelCall, url: URL) {
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': model,
    'server.address': url.hostname,
    'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
  }
}

/** Attributes that are undefined are left out. */
function replyAttributes({ id, model, usage, choices }: Reply) {
  const reason = choices?.[0]?.finish_reason
  return {
    'gen_ai.response.id': id,
    'gen_ai.response.model': model,
    'gen_ai.usage.input_tokens': usage?.prompt_tokens,
    'gen_ai.usage.output_tokens': usage?.completion_tokens,
    'gen_ai.response.finish_reasons': reason ? [reason] : undefined,
  }
}
