/** A space of a memory in a temporary folder, which is closed and removed after the test. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openMemory } from '@loomlog/app/open-memory'
import type { MemorySpace } from '@loomlog/client/memory'

export async function openSpace(t: TestContext): Promise<MemorySpace> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-adapters-'))
  const memory = await openMemory({ dir, env: { LOOMLOG_PARTITIONS: '1' } })
  t.after(async () => {
    await memory.close()
    await rm(dir, { recursive: true, maxRetries: 3 })
  })
  return memory.space('home')
}
