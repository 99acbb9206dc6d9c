/** What LanceDB reports while views are read, as an error with a code that says what to do about it. */
import { LoomlogError } from '@loomlog/errors'
import type { ViewReader } from '@loomlog/views/reader'

/**
 * A view that was deleted since it was opened reads as empty, and as itself once it is made again.
 * @throws LoomlogError `view-corrupt` where LanceDB can't read a table
 */
export async function readingViews<T>(views: ViewReader, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isOfLance(error)) throw error
    views.forget()
  }
  try {
    return await work()
  } catch (cause) {
    if (!isOfLance(cause)) throw cause
    const [said = ''] = cause.message.split(/, \/|\n/)
    throw new LoomlogError(
      'view-corrupt',
      `a view can't be read: ${said}. Stop loomlog, delete the folder views and start it: views are made again from the log`,
      { cause },
    )
  }
}

/** LanceDB's errors have no codes, only words. */
function isOfLance(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof LoomlogError) && /lance/i.test(error.message)
}
