/**
 * Work on candidates one by one. A candidate whose work fails is left out and reported, and the others are found as
 * before. The work gives way to other requests of the process every few milliseconds, because a recall may read
 * hundreds of long texts.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CandidateName } from './memory.ts'
import type { RecallOptions } from './recall-options.ts'

/** A memory that was found, and left out because reading it failed. */
export interface FailedCandidate extends CandidateName {
  readonly why: string
}

/** Longest stretch of work after which other requests have their turn. */
const stretchMs = 20

/** @param work pure, and bounded by the length of the candidate's text */
export async function eachCandidate<C, T>(
  candidates: Iterable<C>,
  work: (candidate: C) => T,
  {
    nameOf,
    ...options
  }: Pick<RecallOptions, 'onCandidateFailure' | 'signal'> & { nameOf(candidate: C): CandidateName },
): Promise<readonly T[]> {
  const results: T[] = []
  let since = performance.now()
  for (const candidate of candidates) {
    try {
      results.push(work(candidate))
    } catch (error) {
      if (options.onCandidateFailure === undefined) throw error
      options.onCandidateFailure(nameOf(candidate), error)
    }
    if (performance.now() - since < stretchMs) continue
    await nextTurn()
    options.signal?.throwIfAborted()
    since = performance.now()
  }
  return results
}

/** Options that collect the failures of one recall, beside telling the caller of each. */
export function collectFailures<O extends Pick<RecallOptions, 'onCandidateFailure'>>(options: O) {
  const failed = new Map<string, FailedCandidate>()
  const onCandidateFailure = (name: CandidateName, error: unknown) => {
    const { id, space, kind } = name
    const key = `${space} ${kind} ${id}`
    if (failed.has(key)) return
    failed.set(key, { id, space, kind, why: error instanceof Error ? error.message : String(error) })
    options.onCandidateFailure?.(name, error)
  }
  return {
    options: { ...options, onCandidateFailure },
    failedField: (): { readonly failed?: readonly FailedCandidate[] } =>
      failed.size === 0 ? {} : { failed: [...failed.values()] },
  }
}
