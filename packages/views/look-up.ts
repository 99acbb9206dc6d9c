/**
 * Looks up a memory by its id. A subscriber of the feed may know a memory before the views have it. So a look-up that
 * finds nothing waits, for a bounded time, until the views have every record that the log had at the request, and looks
 * again. A memory that is found costs nothing more.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LoomlogError } from '@loomlog/errors'
import type { ViewReader } from './reader.ts'
import type { ShardLag } from './rebuilds.ts'

export interface LookUp {
  /** For the error: `memory f1`. */
  readonly name: string
  /** `tenant/space` */
  readonly space: string
  readonly views: ViewReader
  /** For the error: the kinds of memory that the id may have. */
  readonly expected?: string
}

/** Longest wait for the views, which are about a second behind the log. */
const defaultWaitMs = 5_000
/**
 * In-flight limits of waits of this process: each keeps a slot of the gateway, and others must be left for recall and
 * for other tenants.
 */
const maxWaiting = { all: 4, ofTenant: 2 }
const pollMs = 50
/** Of an error's text. */
const maxNameChars = 100

/** Tenants of the waits in flight. */
let waiting: readonly string[] = []

/**
 * @param find null: the memory is in no view
 * @throws LoomlogError `not-found`; `views-behind` where the views lack records of the log after the wait, so the
 * memory may be among them
 */
export async function lookUp<T>(place: LookUp, find: () => Promise<T | null>): Promise<T> {
  const { space, views, expected } = place
  const name = place.name.slice(0, maxNameChars)
  const found = await find()
  if (found !== null) return found
  const behind = await untilReached(await views.behind([space]), place)
  // Also if no view was behind: the record may have been merged after the first look.
  const foundLater = await find()
  if (foundLater !== null) return foundLater
  const [lag] = behind
  const hint = expected === undefined ? '' : `: expected the id of ${expected}`
  if (lag === undefined) throw new LoomlogError('not-found', `no ${name} in ${space}${hint}`)
  // Without the name: the text becomes a condition, and the label of a metric.
  const progress = `${lag.topic}/${lag.partition} has ${lag.reached} of ${lag.end} records`
  throw new LoomlogError('views-behind', `not found yet: a view is behind (${progress}); ask again later`)
}

/** The shards that don't reach their end within the longest wait. */
async function untilReached(
  behind: readonly ShardLag[],
  { space, views }: Pick<LookUp, 'space' | 'views'>,
): Promise<readonly ShardLag[]> {
  const [tenant = ''] = space.split('/')
  const ofTenant = waiting.filter((each) => each === tenant)
  if (waiting.length >= maxWaiting.all || ofTenant.length >= maxWaiting.ofTenant) return behind
  waiting = [...waiting, tenant]
  try {
    let left = behind
    const until = performance.now() + (views.lookUpWaitMs ?? defaultWaitMs)
    while (left.length > 0 && performance.now() < until) {
      await sleep(pollMs)
      left = await stillBehind(left, views)
    }
    return left
  } finally {
    waiting = waiting.toSpliced(waiting.indexOf(tenant), 1)
  }
}

async function stillBehind(behind: readonly ShardLag[], views: ViewReader): Promise<readonly ShardLag[]> {
  const now = behind.map(async (lag) => ({ ...lag, reached: await views.watermark(lag.topic, lag.partition) }))
  return (await Promise.all(now)).filter(({ reached, end }) => reached < end)
}
