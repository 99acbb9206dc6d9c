/**
 * Vectors from any OpenAI-compatible `/v1/embeddings`. One at a time means one text a request; in batches, up to 128.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Json } from '@loomlog/schemas/ids'
import { inModelSpan } from '@loomlog/telemetry/model-span'
import type { CreateEmbeddingResponse } from 'openai/resources'
import { type Embedder, embedTexts, type VectorSpace } from '../embedder.ts'
import type { SpendingLimit } from '../spending-limit.ts'
import { type ConnectionOptions, connect, type ModelCallOptions } from './connection.ts'
import { vectorsIn } from './reply.ts'
import { estimatedTokens, type Send, withinSpending } from './spending-call.ts'

export interface OpenAiEmbedderOptions extends ConnectionOptions {
  readonly model: string
  readonly vectorSpace: VectorSpace
  /** Longer texts are cut. Default 8,000: within 8,191 tokens in any script. */
  readonly maxCharacters?: number
  /** More of the request's body, such as `{ dimensions: 512 }` for a model that can be cut. */
  readonly parameters?: { readonly [name: string]: Json }
  /** Default: no limit. */
  readonly spending?: SpendingLimit
}

const maxTextsPerRequest = 128

export function openAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const name = `openai:${options.model}`
  const { vectorSpace } = options
  const connection = connect(name, options)
  const closing = new AbortController()

  async function request(input: string[], caller: ModelCallOptions): Promise<readonly number[][]> {
    const body = { ...options.parameters, model: options.model, input, encoding_format: 'float' as const }
    const call = { operation: 'embeddings', model: options.model, baseUrl: options.baseUrl } as const
    const send: Send<CreateEmbeddingResponse> = (client, within) =>
      inModelSpan(call, async () => {
        caller.onCall?.()
        return await client.embeddings.create(body, within)
      })
    const characters = input.reduce((sum, { length }) => sum + length, 0)
    const estimate = { inputTokens: estimatedTokens(characters), outputTokens: 0 }
    // The log records vectors, without their tokens.
    const limited = withinSpending(options.spending, { model: name, estimate, isRecorded: false }, send)
    const { refusal, reply } = await connection.call(limited, caller)
    if (refusal) throw new LoomlogError('model-refused', `${name}: ${refusal.reason}`)
    return vectorsIn(name, reply)
  }

  return {
    vectorSpace,
    isBehindEndpoint: true,
    embed(texts, { shape = 'one-at-a-time', signal, ...caller } = {}) {
      const size = shape === 'batched' ? maxTextsPerRequest : 1
      const failed = new AbortController()
      const within = AbortSignal.any([closing.signal, failed.signal, ...(signal ? [signal] : [])])
      return embedTexts(texts, vectorSpace, options.maxCharacters ?? 8_000, async (full) => {
        const requests = []
        for (let at = 0; at < full.length; at += size)
          requests.push(request(full.slice(at, at + size), { ...caller, signal: within }))
        try {
          return (await Promise.all(requests)).flat()
        } catch (error) {
          // Queued texts would fail too, and count against the rate limit.
          failed.abort(error)
          throw error
        }
      })
    },
    async close() {
      closing.abort(new Error(`${vectorSpace.name} is closed`))
    },
  }
}
