/**
 * The in-flight limit of deliveries. Failing and slow webhooks have slots of their own, so any number of them leaves
 * the slots of the others free. The slots of a kind are given out in the order of the requests.
 */

export type SlotKind = 'steady' | 'troubled'

interface Slots {
  free: number
  readonly waiting: Set<() => void>
}

export class DeliverySlots {
  readonly #slots: { readonly [kind in SlotKind]: Slots }

  constructor({ inFlight, inFlightTroubled }: { readonly inFlight: number; readonly inFlightTroubled: number }) {
    this.#slots = {
      steady: { free: inFlight - inFlightTroubled, waiting: new Set() },
      troubled: { free: inFlightTroubled, waiting: new Set() },
    }
  }

  /** Runs the work in a slot. @throws the signal's reason while it waits */
  async run<T>(kind: SlotKind, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const slots = this.#slots[kind]
    await takeSlot(slots, signal)
    try {
      return await work()
    } finally {
      const [next] = slots.waiting
      if (next) next()
      else slots.free += 1
    }
  }
}

async function takeSlot(slots: Slots, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (slots.free > 0) {
    slots.free -= 1
    return
  }
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      slots.waiting.delete(admit)
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
    slots.waiting.add(admit)
    signal.addEventListener('abort', leave, { once: true })
  })
}
