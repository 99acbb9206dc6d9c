/**
 * kafkajs's admin client gives up as soon as the node that it asks is gone. Of several nodes one may be, and the others go on naming
 * it as the one to ask until they miss it, which takes them nine seconds: so it is asked again, and finds another. Whatever else goes
 * wrong is told at once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Admin } from 'kafkajs'

export type PatientAdmin = Pick<
  Admin,
  | 'createTopics'
  | 'describeConfigs'
  | 'alterConfigs'
  | 'listGroups'
  | 'describeGroups'
  | 'fetchOffsets'
  | 'deleteGroups'
>

export interface Patience {
  readonly withinMs: number
  readonly everyMs: number
  /** Somebody closes the log: nothing is waited for any more. */
  isOver(): boolean
}

export const defaultPatience = { withinMs: 15_000, everyMs: 500 }

export function patientAdmin(admin: PatientAdmin, patience: Patience): PatientAdmin {
  const ask = <T>(work: () => Promise<T>) => patiently(work, patience)
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

async function patiently<T>(work: () => Promise<T>, { withinMs, everyMs, isOver }: Patience): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnreachable(error) || isOver() || performance.now() > deadline) throw error
      await sleep(everyMs)
    }
  }
}

/** `KafkaJSConnectionError` and `KafkaJSConnectionClosedError`. */
function isUnreachable(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('KafkaJSConnection')
}
