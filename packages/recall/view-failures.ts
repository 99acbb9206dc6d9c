/** What LanceDB reports while views are read, as an error with a code that says what to do about it. */
import { LoomlogError } from '@loomlog/errors'

/** @throws LoomlogError `view-corrupt` where LanceDB can't read a table */
export async function readingViews<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    // LanceDB's errors have no codes, only words.
    if (!(cause instanceof Error) || cause instanceof LoomlogError || !/lance/i.test(cause.message)) throw cause
    const [said = ''] = cause.message.split(/, \/|\n/)
    throw new LoomlogError(
      'view-corrupt',
      `a view can't be read: ${said}. Stop loomlog, delete the folder views and start it: views are made again from the log`,
      { cause },
    )
  }
}
