/** Changes of the code under figures, for tables and for the test that finds them. */
import type { CodeParts } from './code-parts.ts'

/** The parts that differ, each as a clause. */
export function changedParts(parts: readonly string[], then: CodeParts, now: CodeParts): readonly string[] {
  return parts
    .filter((part) => then[part] !== now[part])
    .map((part) => `${part} was ${then[part]}, and is ${now[part]}`)
}

/** The clauses that a file's `stale` must have, one for each part that differs. */
export function staleClauses(parts: readonly string[], then: CodeParts, now: CodeParts): readonly string[] {
  return parts
    .filter((part) => then[part] !== now[part])
    .map((part) =>
      typeof now[part] === 'number' ? `revision ${now[part]} of ${part} (then ${then[part]})` : `other ${part}`,
    )
}

export interface Figures {
  readonly commit: string
  /** Completes "measured on COMMIT, …": the changes since, which may change the figures. */
  readonly stale?: string
}

/**
 * The lines of a table, and under it the commit that it was measured on, if the code under the figures has changed
 * since.
 */
export function withStaleNote(lines: readonly string[], { commit, stale }: Figures): readonly string[] {
  return stale === undefined ? lines : [...lines, '', `Measured on ${commit}, ${stale}.`]
}
