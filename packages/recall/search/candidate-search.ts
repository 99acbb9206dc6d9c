/** The search for candidates: one query in one space, with its vectors and scope. */
import type { Scope } from '../request/scope.ts'
import type { Tail } from './log-tail.ts'

export interface CandidateSearch {
  /** `tenant/space` */
  readonly space: string
  readonly query: string
  /** Of the question, and of the question as a statement if it has one. */
  readonly vectors: readonly Float32Array[]
  readonly scope: Scope
  /** Whether events count once more than other facts; not in the mode `content`. */
  readonly withEvents: boolean
  /** The log tail of the space, read once for all queries. Without it, each query reads its own. */
  readonly tail?: (() => Promise<Tail>) | undefined
}
