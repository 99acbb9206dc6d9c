/** Notices of names that the memory doesn't have, on stderr. */
import { printable, printNotice } from './print.ts'

/** An empty memory is no failure, so the exit code stays 0. */
export function printUnknownNames(notices: readonly string[] = []): void {
  for (const each of notices) printNotice(`loomlog: ${printable(each)}`)
}
