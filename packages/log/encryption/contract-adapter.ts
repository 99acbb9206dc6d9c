/** An encrypted log on sqlite for the contract suite. The argument is the folder. */
import type { Adapter } from '@loomlog/log/contract'
import type { Log } from '../port.ts'
import { openSqliteLog } from '../sqlite/adapter.ts'
import { sqliteAdapter } from '../sqlite/contract-adapter.ts'
import { localKey } from './key-encryption.ts'
import { openSealed } from './open.ts'

const key = localKey(Buffer.alloc(32, 'a key of tests'))

/** Child processes load this module by its name. @public */
export function open(argument: string): Promise<Log> {
  return openSealed(openSqliteLog({ dir: argument }), { ofNewLogs: 'on', keyEncryption: async () => key })
}

export const sealedSqliteAdapter: Adapter = { ...sqliteAdapter, opener: import.meta.url }
