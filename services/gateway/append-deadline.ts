/**
 * The deadline of a write: its append and its audit record share LOOMLOG_APPEND_MS. Each batch of a stream has the whole time, and the audit
 * record shares that of the last batch. The errors say whether the request may be sent again: only a repeated append has one effect.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { untilAborted } from './admission.ts'

export class AppendDeadline {
  readonly #ms: number
  /** When the last append of a request began. */
  readonly #beganAt = new WeakMap<object, number>()

  constructor(ms: number) {
    this.#ms = ms
  }

  /** Waits for an append. @throws LoomlogError `log-unavailable` after the deadline; the outcome is then unknown */
  async append<T>(request: object, work: Promise<T>): Promise<T> {
    this.#beganAt.set(request, performance.now())
    return await within(this.#ms, work, () => {
      const unknown = `the log did not acknowledge this within ${this.#ms} ms`
      return new LoomlogError('log-unavailable', `${unknown}: send it again, which has one effect`)
    })
  }

  /** Waits for the audit record of a write that took effect, for the rest of the time. @throws UnconfirmedAudit */
  async audit(request: object, record: Promise<void>): Promise<void> {
    const beganAt = this.#beganAt.get(request)
    const restMs = beganAt === undefined ? this.#ms : Math.max(0, beganAt + this.#ms - performance.now())
    const late = () => new LoomlogError('log-unavailable', `there was no reply within ${this.#ms} ms`)
    try {
      await within(restMs, record, late)
    } catch (error) {
      if (!isLoomlogError(error)) throw error
      throw new UnconfirmedAudit(error, beganAt === undefined ? 'look-first' : 'repeat')
    }
  }
}

/** The write took effect, and its audit record may be missing. */
export class UnconfirmedAudit extends LoomlogError {
  readonly advice: 'repeat' | 'look-first'

  /** @param advice `repeat` only for a write that has one effect if it is repeated */
  constructor(cause: LoomlogError, advice: 'repeat' | 'look-first') {
    const next = advice === 'repeat' ? 'send it again, which has one effect' : 'look before you send it again'
    super(cause.code, `it took effect, and its audit record is not confirmed (${cause.message}): ${next}`, { cause })
    this.advice = advice
  }
}

async function within<T>(ms: number, work: Promise<T>, late: () => LoomlogError): Promise<T> {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(late()), ms)
  return await untilAborted(work, over.signal).finally(() => clearTimeout(timer))
}
