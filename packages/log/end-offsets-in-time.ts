/**
 * The end offsets of a topic for a request that must be answered soon. The adapters retry for half a minute, which a
 * stage can wait for and a caller can't. While the log is away, one request every few seconds asks it again and waits
 * for a short time; the others fail at once. An append that succeeds shows that the log is back.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { Log } from './port.ts'

type Ends = readonly number[]

interface Reachability {
  state: 'answers' | 'away'
  /** Answers so far. The failure of a request that is older than the last answer is ignored. */
  answers: number
  askedAt: number
}

/** How long a request waits for the log. */
export const endOffsetsTimeoutMs = 5_000
/** How long a request waits for a log that was away. */
export const awayTimeoutMs = 500
/** How often a log that is away is asked again. */
const awayRetryMs = 2_000

const reachabilities = new WeakMap<object, Reachability>()

/** @throws LoomlogError `log-unavailable` within `endOffsetsTimeoutMs`; `topic-unknown` */
export async function endOffsetsInTime(log: Pick<Log, 'endOffsets'>, topic: string): Promise<Ends> {
  const known = reachabilityOf(log)
  const { state } = known
  const now = performance.now()
  if (state === 'away' && now - known.askedAt < awayRetryMs) {
    const message = `the log gave no answer, and is asked again every ${awayRetryMs / 1_000} s`
    throw new LoomlogError('log-unavailable', message)
  }
  known.askedAt = now
  return await withTimeout(log, log.endOffsets(topic), state === 'away' ? awayTimeoutMs : endOffsetsTimeoutMs)
}

/** Notes that the log answered just now, as to an append: the next request waits for it. */
export function noteLogAnswer(log: object): void {
  const known = reachabilityOf(log)
  known.state = 'answers'
  known.answers += 1
}

function reachabilityOf(log: object): Reachability {
  const known = reachabilities.get(log) ?? { state: 'answers', answers: 0, askedAt: Number.NEGATIVE_INFINITY }
  reachabilities.set(log, known)
  return known
}

async function withTimeout(log: object, asked: Promise<Ends>, ms: number): Promise<Ends> {
  const known = reachabilityOf(log)
  const { answers } = known
  const answered = () => noteLogAnswer(log)
  const failed = () => {
    if (known.answers === answers) known.state = 'away'
  }
  asked.then(answered, (error) => (isLoomlogError(error, 'log-unavailable') ? failed() : answered()))
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    failed()
    late.reject(new LoomlogError('log-unavailable', `the log gave no answer within ${ms / 1_000} s`))
  }, ms)
  return await Promise.race([asked, late.promise]).finally(() => clearTimeout(timer))
}
