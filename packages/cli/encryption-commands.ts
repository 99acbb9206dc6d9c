/** The commands `encryption status` and `encryption rekey`. */
import { LoomlogError } from '@loomlog/errors'
import { checkLogExists, configOf } from './command-config.ts'
import type { CommandFrame } from './command-frame.ts'
import { type CommonOptions, json } from './options.ts'

interface KeyOptions extends CommonOptions {
  readonly keyFile?: string
  readonly kms?: string
  readonly ownKey?: boolean
}

export function addEncryptionCommands({ program, command }: CommandFrame): void {
  const encryption = program.command('encryption').description('the encryption of a log, and its key')
  command('status', 'show whether the log is encrypted, and by which key', encryption).action(
    async (options: CommonOptions) => {
      const config = configOf(options)
      checkLogExists(config)
      await (await import('./commands/encryption.ts')).encryptionStatus(json(options), config)
    },
  )
  command('rekey', "encrypt the log's key by another key; records stay as they are", encryption)
    .option('--key-file <path>', 'a file with 32 bytes in base64')
    .option('--kms <module>', 'a module that exports keyEncryption')
    .option('--own-key', 'the key file in the folder of the log')
    .action(async (options: KeyOptions) => {
      const config = configOf(options)
      checkLogExists(config)
      await (await import('./commands/encryption.ts')).rekey({ ...json(options), to: targetOf(options) }, config)
    })
}

function targetOf({ keyFile, kms, ownKey }: KeyOptions) {
  if ([keyFile, kms, ownKey].filter((given) => given !== undefined).length !== 1)
    throw new LoomlogError('input-invalid', 'expected one of --key-file, --kms and --own-key')
  if (keyFile !== undefined) return { kind: 'file', path: keyFile } as const
  return kms === undefined ? null : ({ kind: 'module', path: kms } as const)
}
