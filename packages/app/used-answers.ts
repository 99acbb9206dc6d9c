/** The recorded answers that a memory used, with their prompts by the recipe of its derivation, and their prices. */
import type { Generations } from '@loomlog/generations/generations'
import type { Host } from '@loomlog/host/open'
import { moneyFor } from '@loomlog/host/prices'
import type { AnswersOf, UsedAnswer } from '@loomlog/recall/answer-costs'
import { promptedTask } from '@loomlog/runtime/repair-asks'

/** An answer that is no longer in the log is left out. */
export function usedAnswers(host: Host, known: () => Generations): AnswersOf {
  return async ({ derivation, completions, record }) => {
    if (completions.length === 0) return []
    const prompts = known().derivations.get(derivation ?? '')?.recipe.model?.prompts ?? {}
    await host.completions.follow(record.partition)
    const found: UsedAnswer[] = []
    for (const key of completions) {
      const answer = await host.completions.lookup(key)
      if (answer === null) continue
      const { task, model, attempts, inputTokens, outputTokens } = answer
      const money = moneyFor(host.config.prices, model, answer)
      found.push({
        key,
        task,
        model,
        prompt: prompts[promptedTask(task)] ?? null,
        attempts,
        inputTokens,
        outputTokens,
        money,
      })
    }
    return found
  }
}
