/** The sqlite adapter for the contract suite, in this process and in child processes. The argument is the folder. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Adapter } from '@loomlog/log/contract'
import type { Log } from '../port.ts'
import { openSqliteLog } from './adapter.ts'

/** Child processes load this module by its name. @public */
export function open(argument: string): Log {
  return openSqliteLog({ dir: argument })
}

export const sqliteAdapter: Adapter = {
  opener: import.meta.url,
  async fresh() {
    const argument = await mkdtemp(join(tmpdir(), 'loomlog-'))
    return { argument, remove: () => rm(argument, { recursive: true }) }
  },
  features: { sessionMs: 1_000, settleMs: 30_000, erases: true },
}
