/**
 * The context of every question, by four memories over the same messages and within each budget. `fusion` packs whole
 * messages, ranked by BM25 and cosines with people's messages first, in the order of time. `rules` and `model` are
 * loomlog's context. A context is identified by its question and its text: the same text by two memories is one item,
 * read once.
 */
import { contextBlock } from '@loomlog/recall/context-block'
import { evidenceText } from '@loomlog/recall/evidence-text'
import type { Model } from '@loomlog/runtime/answers'
import { hash } from '@loomlog/schemas/ids'
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base'
import type { MarkedMessage } from '../corpus/conversation.ts'
import type { Turn } from '../evidence/dataset.ts'
import { type Memory, openMemory } from '../evidence/memory.ts'
import { messageBaselines } from '../evidence/message-baselines.ts'
import { folderOf } from './derive.ts'
import { space, type Trial, type TrialQuestion } from './trial.ts'

export const memories = ['fusion', 'rules', 'model', 'understood'] as const
export type MemoryName = (typeof memories)[number]
export const budgets = [150, 300, 1_000] as const
export type Budget = (typeof budgets)[number]

export interface QuestionContext {
  readonly memory: MemoryName
  readonly budget: Budget
  readonly question: TrialQuestion
  readonly context: string
  /** Identifies the question with the text. */
  readonly item: string
}

export interface RankedMessage {
  readonly message: MarkedMessage
  /** Of its line. */
  readonly tokens: number
}

const fusion = "bm25 and dense fused, people's messages first"
const itemChars = 16
/** No text is a control sequence of a model. */
const asPlainText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

export function itemOf(ask: string, context: string): string {
  return hash([ask, context]).slice(0, itemChars)
}

/**
 * @param dir the folder of the derived memories
 * @param understanding understands questions
 */
export async function contextsOf(trial: Trial, dir: string, understanding: Model): Promise<readonly QuestionContext[]> {
  const rules = await openMemory(folderOf(dir, 'rules'))
  const model = await openMemory(folderOf(dir, 'model'))
  try {
    const fused = fusionOver(trial, rules)
    const all: QuestionContext[] = []
    for (const question of trial.questions) {
      const ranked = await fused(question)
      for (const budget of budgets) {
        const request = { space, query: question.ask, budgetTokens: budget }
        const texts: { readonly [memory in MemoryName]: string } = {
          fusion: packed(ranked, budget),
          rules: (await contextBlock(request, rules)).text,
          model: (await contextBlock(request, model)).text,
          understood: (await contextBlock({ ...request, understanding: 'model' }, { ...model, model: understanding }))
            .text,
        }
        for (const memory of memories) {
          const context = texts[memory]
          all.push({ memory, budget, question, context, item: itemOf(question.ask, context) })
        }
      }
    }
    return all
  } finally {
    await rules.close()
    await model.close()
  }
}

function fusionOver({ messages }: Trial, memory: Memory) {
  const turns = messages.map(({ id, at, speaker, role, text }): Turn => {
    return { id, session: 0, date: at, speaker, words: text, isPerson: role === 'human' }
  })
  const baselines = messageBaselines({ id: space, turns, questions: [] })
  const byId = new Map(messages.map((message) => [message.id, message]))
  return async ({ sample, ask, kind, gold, answer }: TrialQuestion): Promise<readonly RankedMessage[]> => {
    const near = await memory.cosines(space, ask)
    const cosines = turns.map(({ id }) => near.get(id) ?? 0)
    const question = { sample, index: 0, text: ask, answer, category: kind, gold }
    const ranked = baselines.rankings(question, cosines)[fusion] ?? []
    return ranked.flatMap(({ turns: [id = ''], tokens }) => {
      const message = byId.get(id)
      return message === undefined ? [] : [{ message, tokens }]
    })
  }
}

/** The best messages that fit, each whole; one that doesn't fit is skipped, as by the baselines of evidence. */
export function packed(ranked: readonly RankedMessage[], budget: number): string {
  let taken: readonly MarkedMessage[] = []
  let text = ''
  let left = budget
  for (const { message, tokens } of ranked) {
    if (tokens > left) continue
    const more = [...taken, message].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    const longer = textOf(more)
    const used = countTokens(longer, asPlainText)
    if (used > budget) continue
    taken = more
    text = longer
    left = budget - used
  }
  return text
}

function textOf(messages: readonly MarkedMessage[]): string {
  return evidenceText(
    messages.map(({ speaker, text, at }) => {
      return { kind: 'utterance', speaker, text: `${speaker}: ${text}`, at: Date.parse(at) }
    }),
  )
}
