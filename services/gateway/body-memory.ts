/**
 * The memory of bodies. A body has its bytes from before it is read until the reply is over; beyond the limit it is
 * refused. The bytes are shared fairly among callers, so the caller is known before.
 */
import { LoomlogError } from '@loomlog/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerIdOf } from './access/route-access.ts'
import type { FairShare } from './fair-share.ts'
import { maxBodyBytesInFlight } from './limits.ts'
import { onClose } from './reply-close.ts'
import { announcedBytes } from './request-head.ts'

/**
 * @param bodies the bytes in flight
 * @throws LoomlogError `overloaded`
 */
export function holdBody(request: FastifyRequest, reply: FastifyReply, bodies: FairShare): void {
  const bytes = announcedBytes(request)
  if (bytes === 0) return
  const caller = callerIdOf(request)
  if (!bodies.hasRoomFor(caller, bytes)) throw overloaded(bodies.of(caller), bodies.all)
  bodies.take(caller, bytes)
  onClose(reply, () => bodies.release(caller, bytes))
}

function overloaded(own: number, all: number): LoomlogError {
  const inFlight = `${all} of at most ${maxBodyBytesInFlight} bytes of bodies are in flight, ${own} of them of this caller`
  return new LoomlogError('overloaded', `${inFlight}: send it again later`)
}
