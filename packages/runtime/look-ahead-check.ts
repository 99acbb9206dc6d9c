/**
 * Checks a processor's look-ahead in every test that uses the harness: the step makes each ask that the look-ahead
 * names, and the folded carry equals the one that the keyed records give.
 */
import type { SpaceRecord } from '@loomlog/schemas/events'
import { canonicalJson, type Json } from '@loomlog/schemas/ids'
import { drive, type StepEnvironment } from './drive.ts'
import type { LookAhead, SequencedEvent } from './processor.ts'
import type { Ask, Parameters } from './step.ts'

interface Options {
  readonly lookAhead: LookAhead
  readonly parameters: Parameters
}

export class LookAheadCheck {
  readonly #options: Options
  /** By lane: the carry behind its events. */
  readonly #carries = new Map<string, unknown>()
  /** Ids of the events so far. An event that comes again is a retry, and nothing is asked ahead for it. */
  readonly #known = new Set<string>()

  constructor(options: Options) {
    this.#options = options
  }

  /** Folds over the lane's next event. @returns the check for the asks of its step */
  before(
    lane: string,
    event: SequencedEvent<SpaceRecord>,
    environment: StepEnvironment,
  ): (asked: readonly { readonly task: string; readonly input: Json }[]) => void {
    const { lookAhead, parameters } = this.#options
    if (this.#known.has(event.id)) {
      this.#carries.delete(lane)
      return () => {}
    }
    this.#known.add(event.id)
    const carry = this.#carries.has(lane) ? this.#carries.get(lane) : drive(lookAhead.start(), environment)
    const ahead = lookAhead.next(carry, event, parameters)
    if (ahead === null) this.#carries.delete(lane)
    else this.#carries.set(lane, ahead.carry)
    return (asked) => {
      const made = asked.map(({ task, input }) => `${task} ${canonicalJson(input)}`)
      const unmade = (ahead?.asks ?? []).find((ask) => !made.includes(nameOf(ask)))
      if (unmade)
        throw new Error(`the look-ahead names an ask that the step of ${event.id} did not make: ${nameOf(unmade)}`)
      if (ahead === null) return
      const folded = canonicalJson(ahead.carry as Json)
      const read = canonicalJson(drive(lookAhead.start(), environment) as Json)
      if (folded !== read)
        throw new Error(`after ${event.id} the look-ahead carries ${folded}, and its lane holds ${read}`)
    }
  }
}

function nameOf({ task, input }: Ask): string {
  return `${task.name} ${canonicalJson(input)}`
}
