/** The command `export`: ways out of the memory. */
import type { SpaceToExport } from '@loomlog/app/export/space-export'
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { Option } from 'commander'
import type { CommandFrame } from './command-frame.ts'
import type { ExportOptions } from './commands/export.ts'
import { json, type SpaceOptions } from './options.ts'
import { printNotice } from './print.ts'

const forms = ['archive', 'markdown', 'csv', 'parquet', 'cloudevents'] as const
type Form = (typeof forms)[number]

interface ExportCommandOptions extends SpaceOptions {
  readonly as: Form
  readonly to: string
  readonly state?: 'current' | 'all'
  readonly topic?: string
  readonly force?: true
}

export function addExportCommand(frame: CommandFrame): void {
  const { command, withSpaceOptions, withServerOptions, place, signal } = frame
  withServerOptions(
    withSpaceOptions(command('export', 'write a space to a file or a folder, in a form that others read')),
  )
    .addOption(
      new Option(
        '--as <form>',
        'archive: all that ingest needs for the same memory; markdown: documents and profiles; csv, parquet: facts; cloudevents: the records of a topic',
      )
        .choices(forms)
        .makeOptionMandatory(),
    )
    .requiredOption('--to <path>', 'new file, or new folder for markdown; - is standard output')
    .addOption(
      new Option('--state <state>', 'csv, parquet: all has retired facts too (default: current)').choices([
        'current',
        'all',
      ]),
    )
    .option('--topic <name>', 'cloudevents: the topic, such as facts or memory-events')
    .option('--force', 'replace the file, or the folder of an earlier export')
    .action(async (options: ExportCommandOptions) => {
      checkOptions(options)
      const request: ExportOptions = {
        ...json(options),
        target: { to: options.to, existing: options.force ? 'replaced' : 'refused' },
        place: place(options),
        signal,
      }
      try {
        await run(options, request, frame)
      } catch (error) {
        if (!signal.aborted) throw error
        printNotice('stopped: nothing is written')
      }
    })
}

async function run(options: ExportCommandOptions, request: ExportOptions, frame: CommandFrame): Promise<void> {
  const commands = await import('./commands/export.ts')
  switch (options.as) {
    case 'archive':
      return onLog(options, 'the API has no recorded answers of models', frame, (host) =>
        commands.exportArchive(request, host),
      )
    case 'csv':
    case 'parquet': {
      const { as, state = 'current' } = options
      return onSpace(options, frame, (space) => commands.exportFacts(as, state, request, space))
    }
    case 'markdown':
      return onSpace(options, frame, (space) => commands.exportMarkdown(request, space))
    case 'cloudevents':
      return exportCloudEvents(options, request, frame)
  }
}

async function exportCloudEvents(
  options: ExportCommandOptions,
  request: ExportOptions,
  frame: CommandFrame,
): Promise<void> {
  const { topic = '' } = options
  const { exportFeed, exportTopic } = await import('./commands/export.ts')
  const { feedTopic } = await import('@loomlog/feed/feed-message')
  if (topic === feedTopic)
    return frame.withMemory(options, (memory) => exportFeed(topic, request, memory.space(request.place.space)))
  await onLog(options, `the API has one topic, ${feedTopic}`, frame, (host) => exportTopic(topic, request, host))
}

/** @throws LoomlogError `input-invalid` where the options name a server */
async function onLog(
  options: ExportCommandOptions,
  missing: string,
  { server, withLog }: CommandFrame,
  work: (host: Host) => Promise<void>,
): Promise<void> {
  if (server(options) !== null)
    throw new LoomlogError('input-invalid', `this export reads the log, since ${missing}: expected --dir, not --url`)
  await withLog(options, work)
}

async function onSpace(
  options: ExportCommandOptions,
  { server, withLog, place }: CommandFrame,
  work: (space: SpaceToExport) => Promise<void>,
): Promise<void> {
  const { spaceOfServer, withSpaceOfLog } = await import('@loomlog/app/export/space-export')
  const client = server(options)
  const address = place(options)
  if (client !== null) return work(spaceOfServer(client, address.space, options.tenant ?? null))
  await withLog(options, (host) => withSpaceOfLog(host, address, work))
}

/** An option of another form would be without effect. */
function checkOptions({ as, state, topic }: ExportCommandOptions): void {
  if (state !== undefined && as !== 'csv' && as !== 'parquet')
    throw new LoomlogError('input-invalid', `--state is for csv and parquet, and --as is ${as}`)
  if (topic !== undefined && as !== 'cloudevents')
    throw new LoomlogError('input-invalid', `--topic is for cloudevents, and --as is ${as}`)
  if (topic === undefined && as === 'cloudevents')
    throw new LoomlogError('input-invalid', '--as cloudevents needs --topic, such as facts or memory-events')
}
