/** What LanceDB reports while views are read, as an error with a code that says what to do about it. */
import { LoomlogError } from '@loomlog/errors'
import type { ViewReader } from '@loomlog/views/reader'

/**
 * A view that was deleted since it was opened reads as empty, and as itself once it is made again.
 * @throws LoomlogError `view-corrupt` where LanceDB can't read a table; `out-of-files`
 */
export async function readingViews<T>(views: ViewReader, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isOutOfFiles(error)) throw outOfFiles(error)
    if (!isOfLance(error)) throw error
    views.forget()
  }
  try {
    return await work()
  } catch (cause) {
    if (isOutOfFiles(cause)) throw outOfFiles(cause)
    if (!isOfLance(cause)) throw cause
    const [said = ''] = cause.message.split(/, \/|\n/)
    throw new LoomlogError(
      'view-corrupt',
      `a view can't be read: ${said}. Stop loomlog, delete the folder views and start it: views are made again from the log`,
      { cause },
    )
  }
}

/** EMFILE, ENFILE: the view is sound, and is readable again once other searches have closed their files. */
function isOutOfFiles(error: unknown): error is Error {
  return error instanceof Error && /too many open files|os error 2[34]\b/i.test(error.message)
}

function outOfFiles(cause: Error): LoomlogError {
  const advice = 'try again later; raise the limit (ulimit -n) or lower LOOMLOG_READS if it comes again'
  return new LoomlogError('out-of-files', `this process has too many open files to read a view: ${advice}`, { cause })
}

/** LanceDB's errors have no codes, only words. */
function isOfLance(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof LoomlogError) && /lance/i.test(error.message)
}
