/**
 * Empties the caches of texts of this process once the records of a forgetting are destroyed, whichever process
 * destroyed them. It reads from the end of the topic: a process that starts has cached nothing yet.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import { forgettingsTopic } from '@loomlog/forgetting/forgettings'
import type { ClosablePart } from '@loomlog/host/hosting'
import type { Host } from '@loomlog/host/open'
import { forgetTexts } from '@loomlog/text-caches'

export interface FollowOptions {
  readonly signal: AbortSignal
  /** Gets temporary failures, which are retried, and the failure that ends the following. */
  onError(error: unknown): void
  /**
   * After this time the caches are emptied once more. The default is longer than any request, so those that read texts
   * before their end are over.
   */
  readonly lateMs?: number
}

const pauseMs = 500

export async function forgetTextsWithLog(
  { log, codec }: Pick<Host, 'log' | 'codec'>,
  { signal, onError, lateMs = 300_000 }: FollowOptions,
): Promise<ClosablePart> {
  const closing = new AbortController()
  const over = AbortSignal.any([signal, closing.signal])
  const next = new Map((await log.endOffsets(forgettingsTopic)).entries())
  const readOn = async () => {
    for await (const records of log.read({ topic: forgettingsTopic, from: next, until: 'follow', signal: over }))
      for (const { value, partition, offset } of records) {
        const event = await codec.decodeOwn(value)
        if (event?.type === 'ForgettingStatusChanged' && event.status === 'destroyed') {
          forgetTexts()
          setTimeout(forgetTexts, lateMs).unref()
        }
        next.set(partition, offset + 1)
      }
  }
  const follow = async () => {
    while (!over.aborted) {
      try {
        await readOn()
      } catch (error) {
        if (!over.aborted) onError(error)
        if (!isLoomlogError(error) || !error.retryable) return
        await sleep(pauseMs, undefined, { signal: over }).catch(() => {})
      }
    }
  }
  const following = follow()
  return {
    async close() {
      closing.abort()
      await following
    },
  }
}
