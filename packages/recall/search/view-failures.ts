/** A view that was deleted since it was opened reads as empty, and as itself once it is made again. */
import { isLoomlogError } from '@loomlog/errors'
import type { ViewReader } from '@loomlog/views/reader'

/** Does the work once more, on shards opened anew, where a table can't be read. @throws LoomlogError `view-corrupt` the second time */
export async function readingViews<T>(views: ViewReader, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isLoomlogError(error, 'view-corrupt')) throw error
    views.forget()
    return work()
  }
}
