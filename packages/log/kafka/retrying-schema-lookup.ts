/**
 * Looks schemas up in a registry that may lag behind the records: a replica that follows another one, or a registry
 * that is being restored. A record whose schema is unknown is undecodable: stages park it and views pass it. So an
 * unknown schema is looked up again for a while before the error is thrown.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'

interface Waiting {
  /** How long a schema may come after its first record. */
  readonly lagMs: number
  readonly betweenTriesMs: number
  /**
   * After a schema that never came, the registry counts as complete this long: records of another registry must not
   * wait one by one.
   */
  readonly trustMs: number
}

const waiting: Waiting = { lagMs: 10_000, betweenTriesMs: 1_000, trustMs: 10 * 60_000 }

type Lookup = (id: number) => Promise<string>

/** @param lookup throws `schema-unknown` at once */
export function retryingSchemaLookup(lookup: Lookup, { lagMs, betweenTriesMs, trustMs }: Waiting = waiting): Lookup {
  let completeUntil = 0
  return async (id) => {
    const until = performance.now() + lagMs
    for (;;) {
      try {
        return await lookup(id)
      } catch (error) {
        const now = performance.now()
        if (!isLoomlogError(error, 'schema-unknown') || now < completeUntil) throw error
        if (now >= until) {
          completeUntil = now + trustMs
          throw error
        }
      }
      await sleep(betweenTriesMs)
    }
  }
}
