/**
 * The deadline of a write: its append and its audit record share LOOMLOG_APPEND_MS. Each batch of a stream has the
 * whole time, and the audit record shares that of the last batch. The errors say whether the request may be sent again:
 * a repeated append has no further effect, another write may have one.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { withDeadline } from './deadline.ts'

export class AppendDeadline {
  readonly #ms: number
  /** When the last append of a request began. */
  readonly #beganAt = new WeakMap<object, number>()

  constructor(ms: number) {
    this.#ms = ms
  }

  /** Waits for an append. @throws UnconfirmedWrite after the deadline */
  async append<T>(request: object, work: Promise<T>): Promise<T> {
    this.#beganAt.set(request, performance.now())
    return await this.#acknowledged(work, 'repeat')
  }

  /** Waits for a write that may have a further effect if it is repeated. @throws UnconfirmedWrite after the deadline */
  async change<T>(work: Promise<T>): Promise<T> {
    return await this.#acknowledged(work, 'look-first')
  }

  #acknowledged<T>(work: Promise<T>, advice: Advice): Promise<T> {
    const unknown = `the log did not acknowledge this within ${this.#ms} ms`
    const error = () => new UnconfirmedWrite('log-unavailable', unknown, advice)
    return withDeadline({ ms: this.#ms, error }, () => work)
  }

  /** Waits for the audit record of a write that took effect, for the rest of the time. @throws UnconfirmedWrite */
  async audit(request: object, record: Promise<void>): Promise<void> {
    const beganAt = this.#beganAt.get(request)
    const restMs = beganAt === undefined ? this.#ms : Math.max(0, beganAt + this.#ms - performance.now())
    const error = () => new LoomlogError('log-unavailable', `there was no reply within ${this.#ms} ms`)
    try {
      await withDeadline({ ms: restMs, error }, () => record)
    } catch (cause) {
      if (!isLoomlogError(cause)) throw cause
      const unconfirmed = `it took effect, and its audit record is not confirmed (${cause.message})`
      throw new UnconfirmedWrite(cause.code, unconfirmed, beganAt === undefined ? 'look-first' : 'repeat', cause)
    }
  }
}

/** `repeat` only for a write that has one effect if it is repeated. */
type Advice = 'repeat' | 'look-first'

/** The write may have taken effect, or its audit record may be missing. */
export class UnconfirmedWrite extends LoomlogError {
  readonly advice: Advice

  constructor(code: LoomlogError['code'], outcome: string, advice: Advice, cause?: LoomlogError) {
    const next = advice === 'repeat' ? 'send it again, which has one effect' : 'look before you send it again'
    super(code, `${outcome}: ${next}`, { cause })
    this.advice = advice
  }
}
