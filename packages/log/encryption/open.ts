/** Opens a log as it is: encrypted, if it has a key; plain otherwise. */
import type { Log } from '../port.ts'
import { sealedLog } from './encryption-log.ts'
import type { KeyEncryption } from './key-encryption.ts'
import type { WithKeys } from './key-store.ts'
import { LogKeys } from './log-keys.ts'

export type { WithKeys } from './key-store.ts'

export interface EncryptionOptions {
  /** Whether a log that has no topic yet becomes encrypted. One that exists stays as it is. */
  readonly ofNewLogs: 'on' | 'off'
  /** Called only if the log is, or becomes, encrypted. Null: there is none. */
  readonly keyEncryption: (log: 'new' | 'encrypted') => Promise<KeyEncryption | null>
}

/** Closes the log where it throws. @throws LoomlogError `key-unavailable`, `config-invalid` */
export async function openSealed(log: Log & WithKeys, encryption: EncryptionOptions): Promise<Log> {
  try {
    const logKeys = await logKeysOf(log, encryption)
    return logKeys === null ? log : await sealedLog(log, logKeys)
  } catch (error) {
    await log.close()
    throw error
  }
}

/** Null: the log is not encrypted. */
export async function logKeysOf(
  { keys, topics }: Pick<Log, 'topics'> & WithKeys,
  { ofNewLogs, keyEncryption }: EncryptionOptions,
): Promise<LogKeys | null> {
  await keys.refresh()
  if (keys.logKey() !== null) return await LogKeys.open(keys, await keyEncryption('encrypted'))
  if (ofNewLogs === 'off' || (await topics()).length > 0) return null
  const by = await keyEncryption('new')
  return by === null ? null : await LogKeys.create(keys, by)
}
