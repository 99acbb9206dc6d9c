/** The error for an id that no memory of a space has: while a view is rebuilt, the memory may still be missing in it. */
import { LoomlogError } from '@loomlog/errors'
import type { ViewReader } from '@loomlog/views/reader'

/** @param expected the kinds of memory that the id may have */
export async function missingMemory(
  id: string,
  space: string,
  { views, expected }: { readonly views: ViewReader; readonly expected: string },
): Promise<LoomlogError> {
  const [rebuild] = await views.rebuilds([space])
  if (rebuild === undefined)
    return new LoomlogError('not-found', `no memory ${id} in ${space}: expected the id of ${expected}`)
  const { topic, partition, reached, end } = rebuild
  const progress = `${topic}/${partition} has ${reached} of ${end} records`
  return new LoomlogError('views-behind', `no memory ${id} in ${space} yet: a view is being rebuilt (${progress})`)
}
