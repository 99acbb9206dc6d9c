/**
 * kafkajs's admin client gives up when the requested node is dead. The other nodes still name a dead node for up to
 * nine seconds. So requests to an unreachable node are retried; every other failure is thrown at once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Admin } from 'kafkajs'

export type RetriedAdmin = Pick<
  Admin,
  | 'createTopics'
  | 'describeConfigs'
  | 'alterConfigs'
  | 'listGroups'
  | 'describeGroups'
  | 'fetchOffsets'
  | 'deleteGroups'
>

export interface RetryLimits {
  readonly withinMs: number
  readonly everyMs: number
  /** The log is being closed: stop retrying. */
  isClosing(): boolean
}

export const defaultRetryLimits = { withinMs: 15_000, everyMs: 500 }

export function retryingAdmin(admin: RetriedAdmin, limits: RetryLimits): RetriedAdmin {
  const ask = <T>(work: () => Promise<T>) => untilReachable(work, limits)
  return {
    createTopics: (options) => ask(() => admin.createTopics(options)),
    describeConfigs: (options) => ask(() => admin.describeConfigs(options)),
    alterConfigs: (options) => ask(() => admin.alterConfigs(options)),
    listGroups: () => ask(() => admin.listGroups()),
    describeGroups: (ids) => ask(() => admin.describeGroups(ids)),
    fetchOffsets: (options) => ask(() => admin.fetchOffsets(options)),
    deleteGroups: (ids) => ask(() => admin.deleteGroups(ids)),
  }
}

async function untilReachable<T>(work: () => Promise<T>, { withinMs, everyMs, isClosing }: RetryLimits): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnreachable(error) || isClosing() || performance.now() > deadline) throw error
      await sleep(everyMs)
    }
  }
}

/** `KafkaJSConnectionError` and `KafkaJSConnectionClosedError`. */
function isUnreachable(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('KafkaJSConnection')
}
