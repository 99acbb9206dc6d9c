/** The declaration of `loomlog ingest`. */
import { LoomlogError } from '@loomlog/errors'
import { formatNames } from '@loomlog/intake/format-names'
import { Option } from 'commander'
import { configOf, hasLog } from './command-config.ts'
import type { CommandFrame } from './command-frame.ts'
import { defaultSpace } from './default-space.ts'
import { defaultTenant, json, type TenantOptions, tenantHelp } from './options.ts'

interface IngestCommandOptions extends TenantOptions {
  readonly space?: string
  readonly format?: (typeof formatNames)[number]
  readonly speaker: string
  readonly conversation?: string
  readonly at?: string
  readonly dryRun?: true
}

export function addIngestCommand(frame: CommandFrame): void {
  const { command, withServerOptions, server, withMemory, withLog, signal } = frame
  withServerOptions(
    command(
      'ingest <file>',
      'append the conversations of a file to the log, and derive the memory; - is standard input',
    )
      .option('--tenant <name>', tenantHelp)
      .option('--space <name>', `space (default: ${defaultSpace}; of mem0 and Zep, each user's own)`),
  )
    .addOption(
      new Option(
        '--format <format>',
        'recognised by the content, if it is missing; locomo puts each conversation in a space of its own (--space s1: s1-conv-26)',
      ).choices(formatNames),
    )
    .option('--speaker <name>', 'the person of an export that does not name its writer', 'user')
    .option('--conversation <name>', 'conversation of chat messages that name none (default: the name of the file)')
    .option('--at <time>', 'time of chat messages without one, in ISO 8601 (default: the time of the file)')
    .option('--dry-run', 'append nothing, and list what would be appended and everything that is wrong')
    .action(async (file: string, options: IngestCommandOptions) => {
      if (options.format === undefined && (await ingestsArchive(file, options, frame))) return
      const { ingest } = await import('./commands/ingest.ts')
      const onServer = server(options) !== null
      await ingest(
        {
          ...json(options),
          file,
          format: options.format ?? null,
          tenant: options.tenant ?? defaultTenant,
          space: options.space ?? null,
          speaker: options.speaker,
          conversation: options.conversation ?? null,
          at: options.at ?? null,
          isDryRun: options.dryRun === true,
        },
        {
          signal,
          hasLog: !onServer && hasLog(configOf(options)),
          isOnServer: onServer,
          withMemory: (work) => withMemory(options, work, 'new'),
          withLog: (work) => withLog(options, work),
        },
      )
    })
}

/** Whether the file is an archive of `loomlog export`, which has its own way in. */
async function ingestsArchive(
  file: string,
  options: IngestCommandOptions,
  { server, withNewLog, signal }: CommandFrame,
): Promise<boolean> {
  const { isArchive } = await import('@loomlog/app/archive/archive-lines')
  if (!(await isArchive(file))) return false
  const { ingestArchive, readIngestArchive, reportArchive } = await import('./commands/ingest-archive.ts')
  const archive = await readIngestArchive({ ...json(options), file, tenant: options.tenant, space: options.space })
  if (options.dryRun) reportArchive(archive, json(options))
  else if (server(options) === null)
    await withNewLog(options, (host) => ingestArchive(archive, json(options), { host, signal }))
  else {
    const reason = `${file} is an archive, which is read into a folder: expected --dir, not --url`
    throw new LoomlogError('input-invalid', reason)
  }
  return true
}
