/** Notices of names that the memory doesn't have, on stderr. */
import { spacesWithUtterances } from '@loomlog/app/spaces'
import type { Host } from '@loomlog/host/open'
import type { NameOptions } from '@loomlog/recall/unknown-names'
import { printable, printNotice } from './print.ts'

/** An empty memory is no failure, so the exit code stays 0. */
export function printUnknownNames(notices: readonly string[] = []): void {
  for (const each of notices) printNotice(`loomlog: ${printable(each)}`)
}

/** The spaces of the tenant. */
export function spaceNamesIn(host: Pick<Host, 'log' | 'partitions'>, tenant: string): NameOptions['spaceNames'] {
  const prefix = `${tenant}/`
  return async (signal) =>
    (await spacesWithUtterances(host, signal))
      .filter((space) => space.startsWith(prefix))
      .map((space) => space.slice(prefix.length))
}
