/**
 * Errors of SQLite and the file system, mapped to the log's own codes. Anything not listed here is a programmer's error
 * and passes through as it is.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { hasNoFreeDescriptor, isOutOfFiles, outOfFiles } from '@loomlog/errors/out-of-files'

const busy = 5
const locked = 6
const readOnly = 8
const ioError = 10
const corrupt = 11
const full = 13
const cannotOpen = 14
const notADatabase = 26
/** The shared-memory file could not grow: a sign of a full disk while a WAL is opened. */
const sharedMemorySize = ioError | (19 << 8)

/** Runs `work`. Its operating errors become LoomlogErrors that name the file. */
export function withLogErrors<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toLogError(file, error)
  }
}

export function isBusy(error: unknown): boolean {
  const primary = (sqliteCode(error) ?? 0) & 0xff
  return primary === busy || primary === locked
}

export function toLogError(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || isLoomlogError(error)) return error
  const code = 'code' in error ? error.code : undefined
  if (code === 'ERR_INVALID_STATE') return new LoomlogError('log-unavailable', `${file} is closed`, { cause: error })
  if (isOutOfFiles(error)) return outOfFiles(`to use ${file}`, error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(file, error)
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) return unavailable(file, error)
  const sqlite = sqliteCode(error)
  return sqlite === null ? error : sqliteFailure(file, error, sqlite)
}

function sqliteFailure(file: string, error: Error, code: number): unknown {
  if (code === sharedMemorySize) return diskFull(file, error)
  switch (code & 0xff) {
    case full:
      return diskFull(file, error)
    case corrupt:
    case notADatabase:
      return new LoomlogError('log-corrupt', `${file} is damaged or no loomlog log: ${error.message}`, { cause: error })
    case busy:
    case locked:
    case readOnly:
      return unavailable(file, error)
    case ioError:
    case cannotOpen:
      return hasNoFreeDescriptor() ? outOfFiles(`to open ${file}`, error) : unavailable(file, error)
    default:
      return error
  }
}

function diskFull(file: string, error: Error): LoomlogError {
  return new LoomlogError('log-full', `the disk has no room for ${file}; this write was rolled back`, { cause: error })
}

function unavailable(file: string, error: Error): LoomlogError {
  return new LoomlogError('log-unavailable', `${file} cannot be used: ${error.message}`, { cause: error })
}

function sqliteCode(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null
}
