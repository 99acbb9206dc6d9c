/** The spaces with utterances, as `tenant/space`; names of others are refused. */
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { misplacementOf } from '@loomlog/log/partition'

/** Reads the whole topic. @throws the reason of the signal, when it aborts */
export async function spacesWithUtterances(
  { log, partitions }: Pick<Host, 'log' | 'partitions'>,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const found = new Set<string>()
  for await (const records of log.read({ topic: 'utterances', until: 'end', ...(signal && { signal }) })) {
    for (const record of records)
      if (record.key !== null && misplacementOf(record, partitions) === null) found.add(record.key)
  }
  // The signal ends the reading without an error.
  signal?.throwIfAborted()
  return [...found].sort()
}

/** @throws LoomlogError `input-invalid` for what is not TENANT/SPACE; `not-found` for a space without utterances */
export function checkSpaces(option: string, wanted: readonly string[], known: readonly string[]): void {
  const wrong = wanted.find((space) => !/^[^/]+\/[^/]+$/.test(space))
  if (wrong !== undefined) throw new LoomlogError('input-invalid', `${option} is ${wrong}: expected TENANT/SPACE`)
  const silent = wanted.find((space) => !known.includes(space))
  if (silent !== undefined) throw new LoomlogError('not-found', `${option} is ${silent}: there are no utterances in it`)
}

/** Refuses a mistyped tenant. Reads only up to the tenant's first record. @throws LoomlogError `not-found` */
export async function checkTenant(tenant: string, { log }: Pick<Host, 'log'>): Promise<void> {
  for await (const records of log.read({ topic: 'utterances', until: 'end' })) {
    if (records.some(({ key }) => key?.startsWith(`${tenant}/`))) return
  }
  throw new LoomlogError('not-found', `tenant ${tenant} has no utterances`)
}
