/** Maps LanceDB's errors, which have messages only, to codes. */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { isOutOfFiles, outOfFiles } from '@loomlog/errors/out-of-files'

export function saysThat(error: unknown, words: string): boolean {
  return error instanceof Error && error.message.includes(words)
}

/** Another process may have committed first: the same can be tried again. */
export function isConflict(error: unknown): boolean {
  return saysThat(error, 'commit conflict') || saysThat(error, 'Incompatible transaction')
}

const maxMessageChars = 500

/** An object store that is away, or refuses the credentials; a folder is always reached. */
export function whereUnreachable(uri: string, cause: unknown): unknown {
  if (isLoomlogError(cause) || !uri.includes('://')) return cause
  const [line = ''] = (cause as Error).message.split('\n')
  const message = `the views at ${uri} can't be opened: ${line.slice(0, maxMessageChars)}`
  return new LoomlogError('view-unavailable', message, { cause })
}

/** The machine has no room, no free file or no right: the files are as they should be. */
const resources =
  /No space left|Too many open files|Permission denied|Read-only file system|Cannot allocate|os error (12|13|23|24|28|30)\b/i

/** LanceDB can't read a file of a table, or misses one. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error) || isLoomlogError(error) || isConflict(error))
    return isLoomlogError(error, 'view-corrupt')
  return /lance|arrow|parquet|panicked/i.test(error.message) && !resources.test(error.message)
}

export function corruptTable(name: string, cause: unknown): LoomlogError {
  const [line = ''] = (cause as Error).message.split(/, \/|\n/)
  const advice = 'it is made again from the log by loomlog up, the next ingest, or loomlog verify --repair'
  return new LoomlogError(
    'view-corrupt',
    `the view at ${name} can't be read: ${line.slice(0, maxMessageChars)}; ${advice}`,
    {
      cause,
    },
  )
}

/** Of a folder; an object store that is away says so in similar words. */
export function whereDamaged(uri: string, cause: unknown): unknown {
  if (!isLoomlogError(cause) && isOutOfFiles(cause)) return outOfFiles('to open a view', cause)
  return uri.includes('://') || isLoomlogError(cause) || !isDamage(cause) ? cause : corruptTable(uri, cause)
}

/**
 * @throws LoomlogError `view-corrupt` where LanceDB can't read a table, or where it was deleted since it was opened; `out-of-files`, where
 * the view is sound, and is readable again once other searches have closed their files
 */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof Error) || isLoomlogError(cause)) throw cause
    if (isOutOfFiles(cause)) throw outOfFiles('to read a view', cause)
    if (!isDamage(cause)) throw cause
    throw corruptTable('this shard', cause)
  }
}
