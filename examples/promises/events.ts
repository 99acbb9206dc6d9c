/** The events of this stage, as `schemas/` has them, and their topic. */
import type { DerivedRecord, EventTime } from '@loomlog/schemas/events'
import type { TopicSpec } from '@loomlog/topics/catalogue'

export interface PromiseMade extends DerivedRecord {
  readonly type: 'PromiseMade'
  readonly conversation: string
  readonly box: string
  readonly text: string
  readonly promiser: string
  readonly to: string | null
  readonly due: EventTime | null
  readonly madeAt: number
  readonly sources: readonly string[]
}

export interface PromiseRetracted extends DerivedRecord {
  readonly type: 'PromiseRetracted'
  readonly promise: string
  readonly cause: string
}

export const topic: TopicSpec = {
  name: 'promises',
  partitioning: 'space',
  derivedFrom: 'topic-shifts',
  retentionMs: null,
  records: ['PromiseMade', 'PromiseRetracted', 'WatermarkAdvanced'],
  writers: ['promises'],
  readers: ['materializer'],
  about: 'Promises, each with its deadline.',
}
