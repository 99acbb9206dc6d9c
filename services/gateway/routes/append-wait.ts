/**
 * `wait` of an append: how far its events must have come before the reply. The append is durable in any case. If the time ends before, or
 * too many requests wait already, the reply is 202 instead of 201, with the part that was reached.
 */
import { isLoomlogError } from '@loomlog/errors'
import { type WaitOptions, waitForViews } from '@loomlog/recall/read-your-writes'
import { choice, type JsonSchema, whole } from './route-schema.ts'

export type AppendReach = 'appended' | 'derived' | 'in-views'

/** Appends that wait at once, besides those that wait for `appended`. */
const maxWaiting = 64
const maxWaitMs = 30_000

export const waitParameters = {
  wait: {
    ...choice(
      ['appended', 'derived', 'in-views'],
      '`derived`: until every stage of the live generation has passed the events; an open box has no facts yet. `in-views`: also until the views have them. If that takes longer than `waitMs`, the reply is 202.',
    ),
    default: 'appended',
  },
  waitMs: { ...whole('Longest wait, in ms.'), minimum: 1, maximum: maxWaitMs, default: 5_000 },
}

export const reachedField: JsonSchema = choice(['appended', 'derived', 'in-views'], 'How far the events have come.')

export interface AppendWait {
  readonly wait: AppendReach
  readonly waitMs: number
}

export class AppendWaits {
  #waiting = 0

  /** @param position `PARTITION@OFFSET`, after the appended events */
  async reached(
    { wait, waitMs }: AppendWait,
    position: string,
    reading: Omit<WaitOptions, 'maxWaitMs'>,
  ): Promise<AppendReach> {
    if (wait === 'appended' || this.#waiting >= maxWaiting) return 'appended'
    const [partition = 0, offset = 0] = position.split('@').map(Number)
    const reach = wait === 'derived' ? 'stages' : 'derived'
    this.#waiting += 1
    try {
      await waitForViews({ partition, offset, reach }, { ...reading, maxWaitMs: waitMs })
      return wait
    } catch (error) {
      if (isLoomlogError(error, 'views-behind')) return 'appended'
      throw error
    } finally {
      this.#waiting -= 1
    }
  }
}
