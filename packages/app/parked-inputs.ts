/**
 * The parked inputs that no retry has processed, as a fold over the topic `parked`: a later attempt at an input
 * replaces the earlier one, and a retry that succeeded removes it. A reading resumes where the last one ended, so a
 * process that reads often reads each record once. Readings run one at a time. After a forgetting the topic is read
 * from its beginning: it lacks the inputs that are forgotten.
 */
import type { Host } from '@loomlog/host/open'
import type { InputParked, ParkCode, ParkedInputRetried } from '@loomlog/schemas/events'
import { noteTextCache } from '@loomlog/text-caches'

export type CountsByCode = Readonly<Partial<Record<ParkCode, number>>>

interface Reading<Kept> {
  readonly next: Map<number, number>
  readonly open: Map<string, Kept>
}

/** @param Kept the part of an input that is kept in memory */
export class ParkedInputs<Kept> {
  readonly #host: Pick<Host, 'log' | 'codec'>
  readonly #keep: (input: InputParked) => Kept | null
  /** Outside the reading: a counter of metrics must not go down after a forgetting. */
  readonly #counts: Partial<Record<ParkCode, number>> = {}
  /** The highest offset of each partition that is counted. */
  readonly #counted = new Map<number, number>()
  #reading: Reading<Kept> = emptyReading()

  /** @param keep null: the input is only counted */
  constructor(host: Pick<Host, 'log' | 'codec'>, keep: (input: InputParked) => Kept | null) {
    this.#host = host
    this.#keep = keep
    noteTextCache(this)
  }

  /** In the order of parking, partition by partition. */
  get open(): readonly Kept[] {
    return [...this.#reading.open.values()]
  }

  /** How often inputs were parked, each attempt counted, also those that were counted and then forgotten. */
  get counts(): CountsByCode {
    return this.#counts
  }

  /** Reads to the end of the topic. */
  async read(): Promise<void> {
    const reading = this.#reading
    await this.#readOn(reading)
    if (reading !== this.#reading) await this.read()
  }

  forgetTexts(): void {
    this.#reading = emptyReading()
  }

  async #readOn(reading: Reading<Kept>): Promise<void> {
    const { log, codec } = this.#host
    for await (const records of log.read({ topic: 'parked', from: reading.next, until: 'end' })) {
      for (const { value, partition, offset } of records) {
        const event = await codec.decodeOwn(value)
        if (event?.type === 'InputParked') {
          this.#count(event, partition, offset)
          this.#add(event, reading)
        }
        if (event?.type === 'ParkedInputRetried') reading.open.delete(attemptsKey(event))
        reading.next.set(partition, offset + 1)
      }
    }
  }

  /** An event that is read again after a forgetting counts once. */
  #count({ code }: InputParked, partition: number, offset: number): void {
    if (offset <= (this.#counted.get(partition) ?? -1)) return
    this.#counted.set(partition, offset)
    this.#counts[code] = (this.#counts[code] ?? 0) + 1
  }

  #add(input: InputParked, { open }: Reading<Kept>): void {
    // A retry may also fail for another reason.
    if (input.attempts > 1) open.delete(attemptsKey(input))
    const kept = this.#keep(input)
    if (kept !== null) open.set(input.code === 'unanswered' ? attemptsKey(input) : input.id, kept)
  }
}

function emptyReading<Kept>(): Reading<Kept> {
  return { next: new Map(), open: new Map() }
}

/** The same for all attempts at an input under one recipe. */
function attemptsKey({ stage, derivation, tenant, space, input }: InputParked | ParkedInputRetried): string {
  return JSON.stringify([stage, derivation, tenant, space, input])
}
