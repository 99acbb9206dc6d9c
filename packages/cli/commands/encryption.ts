/** `loomlog encryption`: whether a log is encrypted and by which key, and its change to another key. */
import type { Config } from '@loomlog/host/config'
import type { KeySource } from '@loomlog/host/encryption-config'
import { changeKeyEncryption, encryptionOf } from '@loomlog/host/open-log'
import { type Output, print, printJson } from '../print.ts'

export async function encryptionStatus({ json }: Output, config: Config): Promise<void> {
  const encryptedBy = await encryptionOf(config)
  if (json) return printJson({ isEncrypted: encryptedBy !== null, encryptedBy })
  if (encryptedBy === null)
    return print('the log is not encrypted: loomlog log copy writes its records into a new log, which is')
  print(`the log is encrypted; its key is encrypted by ${encryptedBy}`)
  if (config.encryption.key === null && config.log.kind === 'sqlite')
    print(`that key lies in ${config.dir}, beside the log: move it out of the folder with loomlog encryption rekey`)
}

export async function rekey({ json, to }: Output & { readonly to: KeySource | null }, config: Config): Promise<void> {
  const changed = await changeKeyEncryption(config, to)
  if (changed === null) {
    process.exitCode = 1
    return json ? printJson({ isEncrypted: false }) : print('the log is not encrypted: nothing was changed')
  }
  if (json) return printJson({ isEncrypted: true, ...changed })
  print(`the log's key was encrypted by ${changed.before}, and is now encrypted by ${changed.now}`)
  print('set it for every process of this log before the next start; backups from before need the former key')
}
