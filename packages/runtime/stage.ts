/** A processor under one derivation, with its dependencies in this process. The parts of a run share it. */
import type { Codec } from '@loomlog/schemas/codec'
import type { Answers, CompletionStore } from './answers.ts'
import type { Processor } from './processor.ts'
import type { Throttle } from './throttle.ts'

export interface Stage {
  readonly processor: Processor
  readonly derivation: string
  /** The recipe's parameters. */
  readonly parameters: Processor['parameters']
  /** The names, in the log, of the topics that it reads and writes. */
  readonly reads: string
  readonly writes: string
  /** Of the topic that it reads. */
  readonly partitions: number
  /** Whether a space (`tenant/space`) is in the recipe's scope. Records of other spaces are skipped. */
  covers(space: string): boolean
  readonly codec: Codec
  readonly answers: Answers
  /** Decides when its work may start and continue. */
  readonly throttle: Throttle
  readonly completions: CompletionStore & { follow(partition: number): Promise<void> }
  onCommit(progress: {
    readonly partition: number
    readonly records: number
    readonly position: number
    readonly watermark: number | null
  }): void
}

/** The consumer group of a stage under one derivation. */
export function groupOf(stage: string, derivation: string): string {
  return `${stage}.${derivation}`
}
