/** The dependencies of a recall: the log, the views of one generation and the embedder that made them. */
import type { Log } from '@loomlog/log/port'
import type { Embedder } from '@loomlog/models/embedder'
import type { Model } from '@loomlog/runtime/answers'
import type { Codec } from '@loomlog/schemas/codec'
import type { ViewReader } from '@loomlog/views/reader'

export interface RecallOptions {
  readonly log: Log
  readonly codec: Codec
  readonly views: ViewReader
  readonly embedder: Embedder
  /** Analyses the question where the request asks for it. Without one, rules do. */
  readonly model?: Model | null
  /** Aborts when the caller leaves: the recall stops before its next search. */
  readonly signal?: AbortSignal
  /** Called where the log is away: utterances that are in no view yet are then not found. Default: it is an error. */
  onLogAway?(reason: string): void
}
