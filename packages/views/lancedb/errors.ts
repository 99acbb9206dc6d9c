/**
 * Maps LanceDB's errors, which have messages only, to codes. A damaged shard is discarded and rebuilt, so failures of
 * an object store or of the machine are never damage: they are `view-unavailable`, and the work is tried again.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { isOutOfFiles, outOfFiles } from '@loomlog/errors/out-of-files'

export function messageIncludes(error: unknown, words: string): boolean {
  return error instanceof Error && error.message.includes(words)
}

/** Another process committed first: a retry may succeed. */
export function isConflict(error: unknown): boolean {
  return messageIncludes(error, 'commit conflict') || messageIncludes(error, 'Incompatible transaction')
}

/**
 * Failures of an object store, of the machine, or of the merge's fence. They may quote messages that sound like damage.
 */
const notOfFiles =
  /Generic (?!LocalFileSystem|memory|N\/A)\S+ error|Generic \{ store: "(?!LocalFileSystem)|Error performing|HTTP error|Resources exhausted|Divide by zero|os error (?!(?:2|20|21)\b)\d/

/** A file is missing, or a folder is in its place. */
const missing = /Not found: |No such file|Not a directory|Is a directory/

/**
 * A file is cut short or has other bytes than were written. Arrow, Protobuf and Lance's decoders each have their own
 * words for it.
 */
const broken = [
  /corrupt|does not appear to be a Lance file|file size is too small|must be the same length|panic|called `/i,
  /failed to fill whole buffer|Invalid range|outside (of )?file|metadata region|out of (range|bounds)|invalid seek/i,
  /LanceError|lance error|arrow|parquet/i,
  /Invalid argument error|Parser error|decod(e|ing)|decompress|encoding|unexpected (EOF|end)|metadata value|unknown base tokenizer/,
]

/** Whether a file of a table is missing, or is not what LanceDB wrote. */
function isDamage(message: string): boolean {
  if (notOfFiles.test(message) || /commit conflict|Incompatible transaction/.test(message)) return false
  return missing.test(message) || broken.some((words) => words.test(message))
}

const maxMessageChars = 500

/**
 * The error with its code. LoomlogErrors and programmer errors, which have no code of the native library, stay as they
 * are.
 */
export function viewError(place: string, cause: unknown): unknown {
  if (isLoomlogError(cause) || !(cause instanceof Error)) return cause
  // The rest are the places in LanceDB's source.
  const [line = ''] = cause.message.split(/, \/|\n/)
  const isProgrammerError = !('code' in cause)
  if (isOutOfFiles(cause)) return outOfFiles('to use a view', cause)
  if (isProgrammerError) return cause
  const message = `the view at ${place} can't be read: ${line.slice(0, maxMessageChars)}`
  if (!isDamage(line)) return new LoomlogError('view-unavailable', message, { cause })
  const advice = 'it is rebuilt from the log by loomlog up, the next ingest, or loomlog verify --repair'
  return new LoomlogError('view-corrupt', `${message}; ${advice}`, { cause })
}

/**
 * @throws LoomlogError `view-corrupt` where a file of a table is damaged or was deleted since it was opened;
 * `view-unavailable` and `out-of-files`, where the view is sound and a retry may succeed
 */
export async function withViewErrors<T>(work: () => Promise<T>, place = 'this shard'): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw viewError(place, cause)
  }
}
