/**
 * The machine, or this process, has no free file descriptor. Nothing is damaged; a retry works once files are closed.
 */
import { closeSync, openSync } from 'node:fs'
import { LoomlogError } from './errors.ts'

const codes: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE'])
const words = /too many open files|os error 2[34]\b/i
const advice = 'try again later; raise the limit (ulimit -n) or lower LOOMLOG_READS if it comes again'

/** Recognises the errors of Node, the file system and native libraries. */
export function isOutOfFiles(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  return ('code' in error && codes.has(error.code)) || words.test(error.message)
}

/** For libraries that report only that a file can't be opened, such as SQLite. */
export function hasNoFreeDescriptor(): boolean {
  try {
    closeSync(openSync(process.execPath, 'r'))
    return false
  } catch (error) {
    return isOutOfFiles(error)
  }
}

/** @param purpose completes "too many open files" with an infinitive: `to read a view` */
export function outOfFiles(purpose: string, cause: unknown): LoomlogError {
  return new LoomlogError('out-of-files', `this process has too many open files ${purpose}: ${advice}`, { cause })
}
