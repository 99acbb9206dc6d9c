/** The dependencies of a recall: the log, the views of one generation and the embedder of their vectors. */
import type { Log } from '@loomlog/log/port'
import type { Embedder } from '@loomlog/models/embedder'
import type { Model } from '@loomlog/runtime/answers'
import type { Codec } from '@loomlog/schemas/codec'
import type { ViewReader } from '@loomlog/views/reader'
import type { CandidateName } from './memory.ts'

export interface RecallOptions {
  readonly log: Log
  readonly codec: Codec
  readonly views: ViewReader
  readonly embedder: Embedder
  /** Analyses the question if the request asks for a model. Default: rules analyse it. */
  readonly model?: Model | null
  /** Aborts when the caller leaves: the recall stops before its next search. */
  readonly signal?: AbortSignal
  /** Called if the log is away: the recall then searches the views alone. Default: the recall fails. */
  onLogAway?(reason: string): void
  /** Called for a candidate that is left out because reading it failed. The result has it in `failed`. */
  onCandidateFailure?(candidate: CandidateName, error: unknown): void
}
