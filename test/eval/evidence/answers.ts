/**
 * The quality of a model's answers, from recall's evidence and from the whole conversation: F1 and BLEU-1 over words,
 * and a judge by TriMem's criteria. A question of category 5 has no answer: the right reply is none, and there is no F1
 * and BLEU.
 */
import { readFileSync } from 'node:fs'
import { LoomlogError } from '@loomlog/errors'
import { answerFrom } from '@loomlog/recall/answer-from-evidence'
import type { Evidence } from '@loomlog/recall/recall-result'
import type { Model } from '@loomlog/runtime/answers'
import { mean } from '../mean.ts'
import type { Question, Turn } from './dataset.ts'
import { hasAnswer, isInGroup } from './measures.ts'

export interface GradedAnswer {
  readonly category: string
  readonly answer: string | null
  /** Null in category 5, which has no reference answer. */
  readonly f1: number | null
  readonly bleu1: number | null
  readonly isRight: boolean
}

const judgeTimeoutMs = 60_000
const prompt = readFileSync(new URL('./prompts/judge.v1.md', import.meta.url), 'utf8')
const criteria = ['responsive', 'coreFacts', 'useful'] as const
const schema = {
  type: 'object',
  properties: { responsive: { type: 'boolean' }, coreFacts: { type: 'boolean' }, useful: { type: 'boolean' } },
  required: criteria,
  additionalProperties: false,
} as const

/** @throws LoomlogError if the model is unavailable, since an answer is never guessed */
export async function gradeAnswer(
  { text, answer: reference, category }: Question,
  items: readonly Evidence[],
  model: Model,
): Promise<GradedAnswer> {
  const { answer, why } = await answerFrom(text, { items }, model)
  const isHonest = answer === null && /does not hold|there is no evidence/.test(why ?? '')
  if (answer === null && !isHonest) throw new LoomlogError('model-unavailable', `no answer to ${text}: ${why}`)
  if (!hasAnswer({ category })) return { category, answer, f1: null, bleu1: null, isRight: answer === null }
  const scores = { f1: f1(answer ?? '', reference), bleu1: bleu1(answer ?? '', reference) }
  return {
    category,
    answer,
    ...scores,
    isRight: answer !== null && (await isJudgedRight(text, reference, answer, model)),
  }
}

async function isJudgedRight(question: string, reference: string, prediction: string, model: Model): Promise<boolean> {
  const signal = AbortSignal.timeout(judgeTimeoutMs)
  const input = { question, reference, prediction }
  const answer = await model.answer({ prompt, input, schema, schemaName: 'judge', signal })
  if (answer.kind === 'none') throw new LoomlogError('model-refused', `${question} was not judged: ${answer.reason}`)
  const verdict = answer.value as { readonly [criterion in (typeof criteria)[number]]: boolean }
  return criteria.every((criterion) => verdict[criterion])
}

/** The whole conversation as evidence, each turn with its day. */
export function fullContext(turns: readonly Turn[]): readonly Evidence[] {
  return turns.map(({ id, date, speaker, words }) => {
    const open = { from: null, to: null }
    const when = { at: null, offset: 0, valid: open, known: { from: 0, to: null } }
    const place = { id, kind: 'utterance', space: '', conversation: '', sources: [id], method: null } as const
    return { ...place, ...when, speaker, text: `(${date}) ${speaker}: ${words}`, score: 0, tokens: 0 }
  })
}

/** The words in lower case, without punctuation and articles. */
function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter((word) => !['a', 'an', 'the'].includes(word))
}

/** The number of words that prediction and reference share, counted with repetitions. */
function sharedWords(predicted: readonly string[], wanted: readonly string[]): number {
  const left = [...wanted]
  return predicted.filter((word) => {
    const at = left.indexOf(word)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  }).length
}

export function f1(prediction: string, reference: string): number {
  const [predicted, wanted] = [wordsOf(prediction), wordsOf(reference)]
  const same = sharedWords(predicted, wanted)
  return same === 0 ? 0 : (2 * same) / (predicted.length + wanted.length)
}

/** Clipped precision of words, with the penalty for brevity. */
export function bleu1(prediction: string, reference: string): number {
  const [predicted, wanted] = [wordsOf(prediction), wordsOf(reference)]
  if (predicted.length === 0) return 0
  const brevity = Math.min(1, Math.exp(1 - wanted.length / predicted.length))
  return (brevity * sharedWords(predicted, wanted)) / predicted.length
}

/** A row for each method and category. */
export function gradesOf(methods: ReadonlyMap<string, readonly GradedAnswer[]>, groups: readonly string[]): string {
  const lines = [...methods].flatMap(([name, all]) =>
    groups.flatMap((group) => {
      const of = all.filter(({ category }) => isInGroup(group, category))
      if (of.length === 0) return []
      const average = (values: readonly (number | null)[]) =>
        values.some((value) => value === null) ? '    –' : mean(values.map((value) => value ?? 0)).toFixed(3)
      const figures = [of.map(({ f1 }) => f1), of.map(({ bleu1 }) => bleu1), of.map(({ isRight }) => Number(isRight))]
      return [
        `${name.padEnd(14)} ${group.padEnd(4)} ${String(of.length).padStart(5)}  ${figures.map(average).join('  ')}`,
      ]
    }),
  )
  return [`${'answers'.padEnd(20)} count  F1     BLEU-1 judge`, ...lines].join('\n')
}
