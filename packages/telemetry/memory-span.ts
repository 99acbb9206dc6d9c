/**
 * Spans of operations on a memory, by OpenTelemetry's conventions for generative AI. They hold ids and numbers, never a
 * question or the text of a memory.
 */
import { inSpan } from './spans.ts'

export interface MemoryOperation {
  readonly operation: 'create_memory' | 'update_memory' | 'delete_memory' | 'search_memory'
  /** `tenant/space` */
  readonly store: string
}

/** The memories that a search found, or that a write was about. */
export interface OperationRecords {
  readonly count: number
  /** The id of the memory, if the operation was about one. */
  readonly record?: string | undefined
}

export async function inMemorySpan<T>(
  { operation, store }: MemoryOperation,
  work: () => Promise<T>,
  recordsIn: (result: T) => OperationRecords,
): Promise<T> {
  const attributes = { 'gen_ai.operation.name': operation, 'gen_ai.memory.store.id': store }
  return await inSpan({ name: operation, kind: 'INTERNAL', attributes }, async (span) => {
    const result = await work()
    const { count, record } = recordsIn(result)
    span?.set({ 'gen_ai.memory.record.count': count, 'gen_ai.memory.record.id': record })
    return result
  })
}
