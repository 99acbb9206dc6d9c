/** A finding on the encryption of the log, and on the place of its key. */
import type { Config } from '@loomlog/host/config'
import { encryptionOf } from '@loomlog/host/open-log'
import { type Finding, ok, warning } from './check-result.ts'

export async function encryptionFinding(config: Config): Promise<Finding> {
  const encryptedBy = await encryptionOf(config)
  if (encryptedBy === null) {
    const text = 'the log is not encrypted, and on Kafka nothing in it can be forgotten for good'
    return warning('encryption', text, 'loomlog log copy --from OLD --to NEW: a new log is encrypted')
  }
  if (config.encryption.key !== null || config.log.kind === 'kafka')
    return ok('encryption', `the log is encrypted, its key by ${encryptedBy}`)
  const advice = 'loomlog encryption rekey --key-file PATH keeps it elsewhere'
  return ok('encryption', `the log is encrypted; its key lies beside it, so a thief of the folder has both: ${advice}`)
}
