/**
 * The ends of a topic for a request that must be answered soon. The adapters retry for half a minute, which a stage can wait for and a
 * caller can't. While the log is away, one request a second asks it again, and the others fail at once.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { Log } from './port.ts'

type Ends = readonly number[]

interface Reachability {
  state: 'answers' | 'away'
  askedAt: number
}

/** How long a request waits for the log. */
export const promptMs = 5_000
/** How often a log that is away is asked again. */
const askAgainMs = 1_000

const reachabilities = new WeakMap<object, Reachability>()

/** @throws LoomlogError `log-unavailable` within `promptMs`; `topic-unknown` */
export async function promptEnds(log: Pick<Log, 'endOffsets'>, topic: string): Promise<Ends> {
  const known = reachabilities.get(log) ?? { state: 'answers', askedAt: Number.NEGATIVE_INFINITY }
  reachabilities.set(log, known)
  if (known.state === 'away' && performance.now() - known.askedAt < askAgainMs) throw away()
  known.askedAt = performance.now()
  const asked = askedEnds(log, topic, known)
  if (known.state === 'answers') return await inTime(asked, known)
  // A log that is back answers this, and the next request finds it.
  asked.catch(() => {})
  throw away()
}

async function askedEnds(log: Pick<Log, 'endOffsets'>, topic: string, known: Reachability): Promise<Ends> {
  try {
    const ends = await log.endOffsets(topic)
    known.state = 'answers'
    return ends
  } catch (error) {
    if (isLoomlogError(error, 'log-unavailable')) known.state = 'away'
    throw error
  }
}

async function inTime(asked: Promise<Ends>, known: Reachability): Promise<Ends> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    known.state = 'away'
    late.reject(away())
  }, promptMs)
  return await Promise.race([asked, late.promise]).finally(() => clearTimeout(timer))
}

function away(): LoomlogError {
  return new LoomlogError('log-unavailable', `the log gave no answer within ${promptMs / 1_000} s`)
}
