/** The generations of the log, kept up to date while a process runs. */
import type { Log } from '@loomlog/log/port'
import { type FoldListener, TopicFold } from '@loomlog/runtime/topic-fold'
import type { Codec } from '@loomlog/schemas/codec'
import { applyGenerationEvent, isGenerationEvent } from './fold.ts'
import { type Generations, noGenerations } from './generations.ts'

export interface FollowerOptions extends FoldListener {
  readonly log: Log
  readonly codec: Codec
}

export type GenerationsFollower = TopicFold<Generations>

export const GenerationsFollower = {
  /** Returns once every record that the log has at the call is read. */
  open({ log, codec, onTemporaryFailure, onError }: FollowerOptions): Promise<GenerationsFollower> {
    return TopicFold.open<Generations>({
      log,
      codec,
      onTemporaryFailure,
      onError,
      topic: 'generations',
      initial: noGenerations,
      apply: (known, event) => (isGenerationEvent(event) ? applyGenerationEvent(known, event) : known),
    })
  },
}
