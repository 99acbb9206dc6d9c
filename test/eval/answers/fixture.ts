/** Questions and contexts for the tests of this folder. */
import { type Budget, itemOf, type MemoryName, type QuestionContext } from './contexts.ts'
import type { TrialQuestion } from './trial.ts'

export function question(id: string, given: Partial<TrialQuestion> = {}): TrialQuestion {
  return {
    id,
    question: id,
    sample: 's',
    ask: `${id}?`,
    kind: 'lookup',
    gold: [],
    stale: [],
    answer: `gold ${id}`,
    ...given,
  }
}

export function contextOf(
  asked: TrialQuestion,
  memory: MemoryName,
  context = `${memory} ${asked.id}`,
  budget: Budget = 300,
): QuestionContext {
  return { memory, budget, question: asked, context, item: itemOf(asked.ask, context) }
}
