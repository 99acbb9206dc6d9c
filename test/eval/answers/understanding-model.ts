/**
 * Questions understood by a model whose answers are recorded beside those of the derivation. The day of asking is that
 * of the last message, so that a replay asks the same.
 */
import { join } from 'node:path'
import { LoomlogError } from '@loomlog/errors'
import { analyseQuestion } from '@loomlog/recall/question-analysis'
import type { Model } from '@loomlog/runtime/answers'
import type { Json } from '@loomlog/schemas/ids'
import { AnswerStore, type ChatRequest, tokensIn } from './answer-store.ts'
import { RelayFolder } from './relay-folder.ts'
import type { Trial } from './trial.ts'

type ModelRequest = Parameters<Model['answer']>[0]

export interface UnderstandingModel {
  readonly model: Model
  /** Mean tokens of a question (o200k): those of its request, and of its answer. */
  readonly cost: { readonly questions: number; readonly inputTokens: number; readonly outputTokens: number }
}

/** @param relay the folder in which requests without a recorded answer wait; null: there must be none */
export async function understandingModel(trial: Trial, relay: string | null): Promise<UnderstandingModel> {
  const store = new AnswerStore(join(trial.recorded, 'model'))
  const folder = relay === null ? null : new RelayFolder(relay)
  const day = trial.messages.at(-1)?.at.slice(0, 10) ?? ''
  const never = new AbortController().signal
  const asked: Promise<{ readonly inputTokens: number; readonly answer: string }>[] = []
  const answerTo = async (request: ChatRequest) => {
    const known = store.find(request)
    if (known !== null) return known
    if (folder === null) throw new LoomlogError('not-found', 'a question has no recorded analysis: name --relay')
    return store.record(request, await folder.ask(request, never))
  }
  const model: Model = {
    name: 'recorded',
    parameters: {},
    async answer(request) {
      const answer = answerTo(chatRequestOf(request, day))
      asked.push(answer)
      return { kind: 'answer', value: JSON.parse((await answer).answer) } as Awaited<ReturnType<Model['answer']>>
    },
  }
  // A person or a model takes longer than the limit of an analysis. Its answer is recorded all the same, and the
  // contexts find it.
  await Promise.all(trial.questions.map(({ ask }) => analyseQuestion(ask, model)))
  const answers = await Promise.all(asked)
  const mean = (of: (answer: (typeof answers)[number]) => number) =>
    Math.round(answers.reduce((sum, each) => sum + of(each), 0) / Math.max(1, answers.length))
  const cost = { inputTokens: mean((each) => each.inputTokens), outputTokens: mean(({ answer }) => tokensIn(answer)) }
  return { model, cost: { questions: answers.length, ...cost } }
}

function chatRequestOf({ prompt, input, schema, schemaName }: ModelRequest, day: string): ChatRequest {
  const content = JSON.stringify({ ...(input as { readonly [field: string]: Json }), day })
  return {
    messages: [
      { role: 'system', content: prompt },
      { role: 'user', content },
    ],
    response_format: { type: 'json_schema', json_schema: { name: schemaName, schema: schema as Json } },
  }
}
