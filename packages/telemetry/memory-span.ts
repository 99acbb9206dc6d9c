/**
 * Spans of operations on a memory, by OpenTelemetry's conventions for generative AI. They hold ids and numbers, never a
 * question or the text of a memory.
 */
import { inSpan } from './spans.ts'

export interface MemoryOperation {
  readonly operation: 'create_memory' | 'update_memory' | 'delete_memory' | 'search_memory'
  /** `tenant/space` */
  readonly store: string
  /** The id of the memory, if the operation is about one. */
  readonly record?: string | undefined
}

/** @param countIn the number of memories that a search found, or that a write was about */
export async function inMemorySpan<T>(
  { operation, store, record }: MemoryOperation,
  work: () => Promise<T>,
  countIn: (result: T) => number,
): Promise<T> {
  const attributes = {
    'gen_ai.operation.name': operation,
    'gen_ai.memory.store.id': store,
    ...(record !== undefined && { 'gen_ai.memory.record.id': record }),
  }
  return await inSpan({ name: operation, kind: 'INTERNAL', attributes }, async (span) => {
    const result = await work()
    span?.set({ 'gen_ai.memory.record.count': countIn(result) })
    return result
  })
}
