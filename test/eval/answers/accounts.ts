/**
 * The accounts of a memory that a model derived: calls, repairs and tokens an utterance by stage and task, from the
 * answers that its log has recorded. The endpoint counts the tokens of whole requests and answers (o200k). Answers of
 * this process, such as local embeddings, are no calls.
 */
import type { AnswerRecorded } from '@loomlog/schemas/events'
import { rounded } from '../agreement.ts'

export interface Account {
  /** Distinct requests. */
  readonly answers: number
  /** Requests that were sent, repairs and failed ones included. */
  readonly calls: number
  /** Requests that were sent again with the fault of the answer before. */
  readonly repairs: number
  readonly inputTokens: number
  readonly outputTokens: number
}

type Answer = Pick<AnswerRecorded, 'stage' | 'task' | 'calls' | 'attempts' | 'inputTokens' | 'outputTokens'>

const none: Account = { answers: 0, calls: 0, repairs: 0, inputTokens: 0, outputTokens: 0 }

/**
 * By `stage task`, and over all: per utterance. `requests` has the whole numbers of distinct requests, calls and
 * repairs.
 */
export function accountsOf(answers: readonly Answer[], utterances: number) {
  const byTask = new Map<string, Account>()
  for (const { stage, task, calls, attempts, inputTokens, outputTokens } of answers) {
    const sent = calls ?? attempts
    if (sent === 0) continue
    const name = `${stage ?? 'unknown'} ${task}`
    const own = { answers: 1, calls: sent, repairs: attempts - 1, inputTokens, outputTokens }
    byTask.set(name, sum(byTask.get(name) ?? none, own))
  }
  const all = [...byTask.values()].reduce(sum, none)
  const share = (total: number) => rounded(total / utterances)
  const perUtterance = ({ calls, repairs, inputTokens, outputTokens }: Account) => ({
    calls: share(calls),
    repairs: share(repairs),
    inputTokens: share(inputTokens),
    outputTokens: share(outputTokens),
    tokens: share(inputTokens + outputTokens),
  })
  const tasks = [...byTask].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    utterances,
    requests: { answers: all.answers, calls: all.calls, repairs: all.repairs },
    perUtterance: Object.fromEntries([...tasks, ['all', all] as const].map(([name, of]) => [name, perUtterance(of)])),
  }
}

function sum(one: Account, other: Account): Account {
  return {
    answers: one.answers + other.answers,
    calls: one.calls + other.calls,
    repairs: one.repairs + other.repairs,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  }
}
