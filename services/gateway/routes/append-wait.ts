/**
 * The parameter `wait` of an append: the state that its events must reach before the reply. The append is durable in
 * any case. If they don't reach it within `waitMs`, or too many requests wait already, the reply is 202 instead of 201.
 */
import { isLoomlogError } from '@loomlog/errors'
import { type WaitOptions, waitForViews } from '@loomlog/recall/read-your-writes'
import { choice, integer, type JsonSchema } from './route-schema.ts'

export type AppendState = 'appended' | 'derived' | 'in-views'

/** In-flight limit of appends that wait for stages or views. */
const maxWaiting = 64
const maxWaitMs = 30_000

export const waitParameters = {
  wait: {
    ...choice(
      ['appended', 'derived', 'in-views'],
      '`derived`: waits until every stage of the live generation has processed the events; an open box has no facts yet. `in-views`: also waits for the views. After `waitMs` the reply is 202.',
    ),
    default: 'appended',
  },
  waitMs: { ...integer('Longest wait, in ms.'), minimum: 1, maximum: maxWaitMs, default: 5_000 },
}

export const reachedState: JsonSchema = choice(
  ['appended', 'derived', 'in-views'],
  'The last of these states that the events have reached.',
)

export interface AppendWait {
  readonly wait: AppendState
  readonly waitMs: number
}

export interface AppendWaitOptions extends Omit<WaitOptions, 'maxWaitMs' | 'signal'> {
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal
}

export class AppendWaits {
  #waiting = 0

  /**
   * The reached state. A caller that leaves ends the wait, and the events remain appended.
   * @param position `PARTITION@OFFSET`, after the appended events
   */
  async reached({ wait, waitMs }: AppendWait, position: string, reading: AppendWaitOptions): Promise<AppendState> {
    if (wait === 'appended' || this.#waiting >= maxWaiting) return 'appended'
    this.#waiting += 1
    try {
      if (await reaches(wait, position, { ...reading, maxWaitMs: waitMs })) return wait
      const isDerived = wait === 'in-views' && (await reaches('derived', position, { ...reading, maxWaitMs: 0 }))
      return isDerived ? 'derived' : 'appended'
    } catch (error) {
      if (reading.signal.aborted) return 'appended'
      throw error
    } finally {
      this.#waiting -= 1
    }
  }
}

async function reaches(wait: 'derived' | 'in-views', position: string, reading: WaitOptions): Promise<boolean> {
  const [partition = 0, offset = 0] = position.split('@').map(Number)
  const reach = wait === 'derived' ? 'stages' : 'derived'
  try {
    await waitForViews({ partition, offset, reach }, reading)
    return true
  } catch (error) {
    if (isLoomlogError(error, 'views-behind')) return false
    throw error
  }
}
