/** The end of a reply: sent, or cut off by a caller who left. */
import type { FastifyReply } from 'fastify'
import { RefusedRequest } from './problem.ts'

/** Calls `then` once, at the end of the reply; at once if the caller has left already. */
export function onClose({ raw }: FastifyReply, then: () => void): void {
  if (raw.destroyed) then()
  else raw.once('close', then)
}

/** Aborts when the caller leaves before the reply is sent. */
export function departureOf(reply: FastifyReply): AbortSignal {
  const departure = new AbortController()
  onClose(reply, () => {
    if (!reply.raw.writableFinished) departure.abort(new RefusedRequest(499, 'the caller left'))
  })
  return departure.signal
}
