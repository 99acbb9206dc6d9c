/** A processor under one derivation, with all that it works with in this process: what the parts of a run are given. */
import type { Codec } from '@loomlog/schemas/codec'
import type { AnswerBook, Answers } from './answers.ts'
import type { Processor } from './processor.ts'
import type { Throttle } from './throttle.ts'

export interface Stage {
  readonly processor: Processor
  readonly derivation: string
  /** The recipe's parameters. */
  readonly parameters: Processor['parameters']
  /** The topics it reads and writes, as they are called in the log. */
  readonly reads: string
  readonly writes: string
  /** Is a space (`tenant/space`) in the recipe's scope? What is not is read past. */
  covers(space: string): boolean
  readonly codec: Codec
  readonly answers: Answers
  /** When its work may go on. */
  readonly throttle: Throttle
  readonly book: AnswerBook & { follow(partition: number): Promise<void> }
  onCommit(progress: {
    readonly partition: number
    readonly records: number
    readonly position: number
    readonly watermark: number | null
  }): void
}
