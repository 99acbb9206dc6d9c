/** `loomlog`: the memory in a folder of this process, and the same interface to a server. */

import type { OpenMemoryOptions } from '@loomlog/app/open-memory'
import type { Memory } from '@loomlog/client'

export * from '@loomlog/client'
export type { OpenMemoryOptions }

/**
 * Opens the memory in a folder: its log, and a pipeline that derives in the background of this process. Several
 * processes may open the same folder; they share the work.
 * @throws LoomlogError `input-invalid`, `config-invalid`; `log-unavailable`, `log-corrupt`
 */
export async function openMemory(options: OpenMemoryOptions): Promise<Memory> {
  const { openMemory: open } = await import('@loomlog/app/open-memory')
  return open(options)
}
