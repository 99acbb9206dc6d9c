/**
 * Bounds the deliveries that run at once. Webhooks that fail or are slow have places of their own, so any number of them leaves the others theirs. Within
 * each kind, the first that waits is the next.
 */

export type SlotKind = 'steady' | 'troubled'

interface Places {
  free: number
  readonly waiting: Set<() => void>
}

export class DeliverySlots {
  readonly #places: { readonly [kind in SlotKind]: Places }

  constructor({ inFlight, inFlightTroubled }: { readonly inFlight: number; readonly inFlightTroubled: number }) {
    this.#places = {
      steady: { free: inFlight - inFlightTroubled, waiting: new Set() },
      troubled: { free: inFlightTroubled, waiting: new Set() },
    }
  }

  /** Runs the work when there is a place for it. @throws the signal's reason while it waits */
  async run<T>(kind: SlotKind, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const places = this.#places[kind]
    await taken(places, signal)
    try {
      return await work()
    } finally {
      const [next] = places.waiting
      if (next) next()
      else places.free += 1
    }
  }
}

async function taken(places: Places, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (places.free > 0) {
    places.free -= 1
    return
  }
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      places.waiting.delete(admit)
      signal.removeEventListener('abort', leave)
    }
    const admit = () => {
      end()
      resolve()
    }
    const leave = () => {
      end()
      reject(signal.reason)
    }
    places.waiting.add(admit)
    signal.addEventListener('abort', leave, { once: true })
  })
}
