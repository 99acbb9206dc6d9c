/**
 * The sockets that kafkajs opened, so that they can be closed with certainty: it connects again for requests that are
 * under way while it disconnects, and such a socket would keep the process alive for ever.
 */
import type { Socket } from 'node:net'
import { createSocketFactory, type SocketFactory } from './kafkajs-internals.ts'

export class Sockets {
  readonly #open = new Set<Socket>()
  #closed = false

  readonly factory: SocketFactory = (options) => {
    this.throwIfClosed()
    const socket = createSocketFactory()(options)
    this.#open.add(socket)
    socket.once('close', () => {
      this.#open.delete(socket)
      // While a broker is away, kafkajs calls this for the same socket again and again, and Node keeps a listener for
      // each call.
      socket.unref = () => socket
    })
    return socket
  }

  throwIfClosed(): void {
    if (this.#closed) throw closedError()
  }

  /** Requests under way fail, and no socket is opened any more. */
  close(): void {
    this.#closed = true
    for (const socket of this.#open) socket.destroy(closedError())
  }
}

/** Marked as final, or kafkajs would retry. */
function closedError(): Error {
  return Object.assign(new Error('the connection to Kafka is closed'), { retriable: false })
}
