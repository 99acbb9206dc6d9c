/** A fake of a model, by the AI SDK's own means: replies in turn, to generate and to stream alike. */
import type { LanguageModelV4Content, LanguageModelV4FinishReason, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}
const finish = (unified: LanguageModelV4FinishReason['unified']) => ({ unified, raw: undefined })
export const said = (text: string): LanguageModelV4Content => ({ type: 'text', text })

export function fakeModel(...replies: readonly LanguageModelV4Content[][]) {
  const reasonOf = (content: readonly LanguageModelV4Content[]) =>
    finish(content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop')
  const generated = replies.map((content) => ({ content, finishReason: reasonOf(content), usage, warnings: [] }))
  return new MockLanguageModelV4({
    doGenerate: generated,
    doStream: generated.map(({ content, finishReason }) => ({
      stream: simulateReadableStream({
        chunks: [
          ...content.flatMap(streamed),
          { type: 'finish', usage, finishReason } satisfies LanguageModelV4StreamPart,
        ],
      }),
    })),
  })
}

function streamed(content: LanguageModelV4Content): readonly LanguageModelV4StreamPart[] {
  if (content.type !== 'text') return [content as LanguageModelV4StreamPart]
  const deltas = content.text.split(/(?<= )/).map((delta) => ({ type: 'text-delta', id: '1', delta }) as const)
  return [{ type: 'text-start', id: '1' }, ...deltas, { type: 'text-end', id: '1' }]
}

/** A model whose replies break off: their finish reason is an error. */
export function failingModel() {
  const finishReason = finish('error')
  return new MockLanguageModelV4({
    doGenerate: { content: [said('Hel')], finishReason, usage, warnings: [] },
    doStream: {
      stream: simulateReadableStream<LanguageModelV4StreamPart>({
        chunks: [
          ...streamed(said('Hel')),
          { type: 'error', error: new Error('overloaded') },
          { type: 'finish', usage, finishReason },
        ],
      }),
    },
  })
}
