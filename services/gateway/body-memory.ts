/**
 * The in-flight limit of the bytes of bodies. A body has its bytes from before it is read until the reply is over, and
 * beyond the limit it is refused. A caller has at most three quarters of them, so one key leaves room for others. So
 * the caller is known before: register this after the check of access.
 */
import { LoomlogError } from '@loomlog/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { maxBodyBytes, maxBodyBytesInFlight, maxCallerBodyBytesInFlight } from './limits.ts'

/** @param callerOf one text a caller; callers without a key share one */
export function limitBodyMemory(app: FastifyInstance, callerOf: (request: FastifyRequest) => string): void {
  let all = 0
  const byCaller = new Map<string, number>()
  const add = (caller: string, bytes: number) => {
    all += bytes
    const own = (byCaller.get(caller) ?? 0) + bytes
    if (own === 0) byCaller.delete(caller)
    else byCaller.set(caller, own)
  }
  app.addHook('onRequest', async (request, { raw }) => {
    const bytes = announcedBytes(request)
    if (bytes === 0) return
    const caller = callerOf(request)
    const own = byCaller.get(caller) ?? 0
    if (own + bytes > maxCallerBodyBytesInFlight)
      throw overloaded(`${own} of at most ${maxCallerBodyBytesInFlight} bytes of bodies of this caller are in flight`)
    if (all + bytes > maxBodyBytesInFlight)
      throw overloaded(`${all} of at most ${maxBodyBytesInFlight} bytes of bodies are in flight`)
    // The caller may have left while its token was checked.
    if (raw.destroyed) return
    add(caller, bytes)
    raw.once('close', () => add(caller, -bytes))
  })
}

/** The bytes that a body may take in memory. A body without a length counts as the largest one. */
export function announcedBytes({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return maxBodyBytes
  return Math.min(Number(headers['content-length'] ?? 0) || 0, maxBodyBytes)
}

function overloaded(reason: string): LoomlogError {
  return new LoomlogError('overloaded', `${reason}: send it again later`)
}
