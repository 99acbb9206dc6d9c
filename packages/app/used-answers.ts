/** The recorded answers that a memory used, with their prompts by the recipe of its derivation, and their prices. */
import { LoomlogError } from '@loomlog/errors'
import type { Generations } from '@loomlog/generations/generations'
import type { Host } from '@loomlog/host/open'
import type { PendingForgettings } from '@loomlog/host/pending-forgettings'
import { moneyFor } from '@loomlog/host/prices'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { partitionOf } from '@loomlog/log/partition'
import type { AnswersOf, UsedAnswer } from '@loomlog/recall/answer-costs'
import { promptedTask } from '@loomlog/runtime/repair-asks'
import { spaceKey } from '@loomlog/schemas/ids'

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

export interface AnswerText {
  readonly key: string
  readonly task: string
  /** The stage that asked first; null in answers of earlier versions. */
  readonly stage: string | null
  readonly model: string
  /** The prompt's text; null for an embedding, and where no known derivation has the prompt. */
  readonly prompt: string | null
  /** The answer as JSON; null where there is none, and for an embedding. */
  readonly answer: string | null
  /** Why there is no answer; null where there is one. */
  readonly none: string | null
}

/**
 * An answer of the space in words. @throws LoomlogError `not-found` also for an answer of another space; `views-behind`
 * while a forgetting is under way, since an answer repeats the words of utterances
 */
export function answerTexts(
  host: Pick<Host, 'completions' | 'partitions'> & {
    readonly pendingForgettings: Pick<PendingForgettings, 'requireNone'>
  },
  known: () => Generations,
) {
  return async (key: string, { tenant, space }: SpaceAddress): Promise<AnswerText> => {
    await host.pendingForgettings.requireNone(spaceKey(tenant, space))
    await host.completions.follow(partitionOf(spaceKey(tenant, space), host.partitions))
    const found = await host.completions.lookup(key)
    if (found === null || found.tenant !== tenant || found.space !== space)
      throw new LoomlogError('not-found', `there is no answer ${key} in this space: \`why\` lists those of a memory`)
    const { task, stage, model, answer, none, prompt } = found
    return { key, task, stage, model, prompt: promptOf(known(), { task, hash: prompt }), answer, none }
  }
}

function promptOf(known: Generations, of: { readonly task: string; readonly hash: string | null }): string | null {
  if (of.hash === null) return null
  const task = promptedTask(of.task)
  const asking = [...known.derivations.values()].find(({ recipe }) => recipe.model?.prompts[task] === of.hash)
  return asking?.prompts.get(task) ?? null
}
