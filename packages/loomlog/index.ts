/** `loomlog`: the memory in a folder of this process, and the same interface to a server. */

import type { OpenMemoryOptions } from '@loomlog/app/open-memory'
import { LoomlogError, type Memory } from '@loomlog/client'

export * from '@loomlog/client'
export type { OpenMemoryOptions }

/**
 * Opens the memory in a folder: its log, and a pipeline that derives in the background of this process. Several
 * processes may open the same folder; they share the work. The process stays alive until `close`.
 * @throws LoomlogError `input-invalid`, `config-invalid`; `log-unavailable`, `log-corrupt`
 */
export async function openMemory(options: OpenMemoryOptions): Promise<Memory> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 19))
    throw new LoomlogError(
      'config-invalid',
      `loomlog runs on Node 22.19 or later; this is Node ${process.versions.node}`,
    )
  const { openMemory: open } = await import('@loomlog/app/open-memory')
  return open(options)
}
