/**
 * The parked inputs that no retry has processed, as a fold over the topic `parked`: a later attempt at an input
 * replaces the earlier one, and a retry that succeeded removes it. A reading resumes where the last one ended, so a
 * process that reads often reads each record once. Readings run one at a time.
 */
import type { Host } from '@loomlog/host/open'
import type { InputParked, ParkCode, ParkedInputRetried } from '@loomlog/schemas/events'

export type CountsByCode = Readonly<Partial<Record<ParkCode, number>>>

/** @param Kept the part of an input that is kept in memory */
export class ParkedInputs<Kept> {
  readonly #host: Pick<Host, 'log' | 'codec'>
  readonly #keep: (input: InputParked) => Kept | null
  readonly #next = new Map<number, number>()
  readonly #open = new Map<string, Kept>()
  readonly #counts: Partial<Record<ParkCode, number>> = {}

  /** @param keep null: the input is only counted */
  constructor(host: Pick<Host, 'log' | 'codec'>, keep: (input: InputParked) => Kept | null) {
    this.#host = host
    this.#keep = keep
  }

  /** In the order of parking, partition by partition. */
  get open(): readonly Kept[] {
    return [...this.#open.values()]
  }

  /** How often inputs were parked, each attempt counted. */
  get counts(): CountsByCode {
    return this.#counts
  }

  /** Reads to the end of the topic. */
  async read(): Promise<void> {
    const { log, codec } = this.#host
    for await (const records of log.read({ topic: 'parked', from: this.#next, until: 'end' })) {
      for (const { value, partition, offset } of records) {
        const event = await codec.decodeOwn(value)
        if (event?.type === 'InputParked') this.#add(event)
        if (event?.type === 'ParkedInputRetried') this.#open.delete(attemptsKey(event))
        this.#next.set(partition, offset + 1)
      }
    }
  }

  #add(input: InputParked): void {
    this.#counts[input.code] = (this.#counts[input.code] ?? 0) + 1
    // A retry may also fail for another reason.
    if (input.attempts > 1) this.#open.delete(attemptsKey(input))
    const kept = this.#keep(input)
    if (kept !== null) this.#open.set(input.code === 'unanswered' ? attemptsKey(input) : input.id, kept)
  }
}

/** The same for all attempts at an input under one recipe. */
function attemptsKey({ stage, derivation, tenant, space, input }: InputParked | ParkedInputRetried): string {
  return JSON.stringify([stage, derivation, tenant, space, input])
}
