/** Trouble that may pass: said once, not each time it is met, and worth waiting for unless the disk is full: that ends the command. */
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import { say } from './print.ts'

export class Trouble {
  readonly #end = new AbortController()
  readonly #said = new Set<string>()

  /** Aborts, with the error as its reason, where waiting helps nobody. */
  get end(): AbortSignal {
    return this.#end.signal
  }

  add(error: LoomlogError): void {
    if (isLoomlogError(error, 'log-full')) this.#end.abort(error)
    if (this.#end.signal.aborted || this.#said.has(error.message)) return
    this.#said.add(error.message)
    say(`waiting: ${error.message}`)
  }
}
