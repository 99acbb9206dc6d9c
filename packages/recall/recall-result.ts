/**
 * The result of a recall: evidence, each piece with its sources and its size in tokens, and the list of memories that
 * were found and left out. Without a budget the best come first. Within a budget they are in the order of time, because
 * they are read as a text.
 */
import type { Rebuild } from '@loomlog/views/rebuilds'
import type { FailedCandidate } from './each-candidate.ts'
import type { ScoredMemory } from './memory.ts'
import type { QuestionAnalysis } from './request/question-analysis.ts'

export interface Evidence extends ScoredMemory {
  /** Size of the shown text, in cl100k tokens. */
  readonly tokens: number
}

export interface LeftOutMemory {
  readonly id: string
  /** `tenant/space`: ids are unique within a space. */
  readonly space: string
  readonly kind: ScoredMemory['kind']
  readonly score: number
  /** `limit`: others were better; `budget`: its tokens did not fit; `unlikely`: below the floor of a budget. */
  readonly why: 'limit' | 'budget' | 'unlikely'
}

export interface RecallResult {
  readonly items: readonly Evidence[]
  /** The items as a text, under their days. Each line begins with the number of its item, by which it can be cited. */
  readonly text: string
  /** Within a budget, the tokens of `text`; without one, of all items together. */
  readonly tokens: number
  /**
   * Memories that were found and not returned; of several kinds without the repeats that `ranking/merge-kinds.ts`
   * drops.
   */
  readonly leftOut: readonly LeftOutMemory[]
  /**
   * Upper bound of the log records that were not searched; of several spaces, the highest. Present only if the views
   * are too far behind for a recall to read the whole backlog. Its oldest records are the missing ones.
   */
  readonly unsearched?: number
  /**
   * The shards of these spaces' views that lack records because they are built or rebuilt. Present only if there are
   * any. Memories of such a shard may be missing; of the utterances, the newest are found in the log by their words.
   */
  readonly rebuilding?: readonly Rebuild[]
  /** Memories that were found, and left out because reading them failed. Present only if there are any. */
  readonly failed?: readonly FailedCandidate[]
  /** Why the log could not be read. Utterances that are in no view yet were then not searched. */
  readonly logAway?: string
  /** The analysis of the question. Present if a model was to make it, and in an explained recall. */
  readonly understood?: QuestionAnalysis
}
