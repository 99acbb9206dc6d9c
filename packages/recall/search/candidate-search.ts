/** The search for candidates: one query in one space, with its vectors and scope. */
import type { Scope } from '../request/filter.ts'
import type { Tail } from './log-tail.ts'

export interface CandidateSearch {
  /** `tenant/space` */
  readonly space: string
  readonly query: string
  /** The vectors of the question and, if rules can make it one, of the question as a statement. */
  readonly vectors: readonly Float32Array[]
  readonly scope: Scope
  /** Whether events count once more than other facts; not in the mode `content`. */
  readonly withEvents: boolean
  /** The log tail of the space, read once for all queries. Without it, each query reads its own. */
  readonly tail?: (() => Promise<Tail>) | undefined
}
