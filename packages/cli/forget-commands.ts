/** The commands that destroy a part of a memory: `forget`, its certificate and the check of one; `retention`. */
import { LoomlogError } from '@loomlog/errors'
import type { Command } from 'commander'
import type { CommandFrame } from './command-frame.ts'
import type { ForgetOptions } from './commands/forget.ts'
import { type CommonOptions, json, type SpaceOptions } from './options.ts'

/** @throws LoomlogError `input-invalid` for an option that makes no sense beside another one */
function refuseBeside(option: string, made: Command, others: readonly string[]): void {
  const other = others.find((name) => made.getOptionValueSource(name) === 'cli')
  if (other !== undefined) throw new LoomlogError('input-invalid', `--${other} and ${option}: expected one of them`)
}

export function addForgetCommands({
  program,
  command,
  withSpaceOptions,
  withServerOptions,
  withMemory,
  withLog,
  server,
  place,
  signal,
}: CommandFrame): void {
  // Options behind a subcommand are its own, although `forget` has them too.
  program.enablePositionalOptions()
  const about =
    'destroy utterances for ever, and everything that was made of them: a preview, until --yes; filters are combined with AND'
  const forget = withServerOptions(withSpaceOptions(command('forget', about)))
    .enablePositionalOptions()
    .option('--utterance <id...>', 'only these utterances, or corrections, by id')
    .option('--speaker <name>', 'utterances of this person or agent, and corrections in this name')
    .option('--conversation <name>', 'events of this conversation')
    .option('--from <time>', 'events from this time on: a day, or a time with a zone')
    .option('--to <time>', 'events before this time')
    .option('--older-than <time>', 'events that were appended longer ago than this, such as 400d')
    .option('--everything', 'the whole space')
    .option('--every-space', 'in each space of the tenant, on a log; with --everything the whole tenant')
    .option('--by <name>', 'the person or program that asks', process.env.USER || 'cli')
    .option('--yes', 'forget it: it can not be undone')
    .option('--no-wait', 'append the request, and leave it to a running server')
    .action(async (options: ForgetOptions, made: Command) => {
      const { tenant, space } = place(options)
      if (options.everySpace) {
        if (server(options) !== null)
          throw new LoomlogError(
            'input-invalid',
            '--every-space works on a log, not on a server: name the log with --dir',
          )
        refuseBeside('--every-space', made, ['space', 'utterance'])
        const { forgetInEverySpace } = await import('./commands/forget-every-space.ts')
        return withLog(options, (host) => forgetInEverySpace(options, { tenant, host, signal }))
      }
      const work = await import('./commands/forget.ts')
      await withMemory(options, (memory, host) => work.forget(options, { space: memory.space(space), host, signal }))
    })
  withServerOptions(
    withSpaceOptions(command('certificate <id>', 'print the certificate of a forgetting, as JSON', forget)),
  ).action(async (id: string, options: SpaceOptions) => {
    const { showCertificate } = await import('./commands/forgetting-certificate.ts')
    const { space } = place(options)
    await withMemory(options, (memory, host) => showCertificate(id, { space: memory.space(space), host, signal }))
  })
  const verifying = 'check the signature of a certificate, and that nothing of it is in the log again'
  command('verify <file>', verifying, forget).action(async (file: string, options: CommonOptions) => {
    const { verifyCertificate } = await import('./commands/forgetting-certificate.ts')
    await withLog(options, (host) => verifyCertificate(file, json(options), host))
  })
  const expiring = 'list what the spaces forget next by the rules of LOOMLOG_RETENTION'
  command('retention', expiring).action(async (options: CommonOptions) => {
    const { retention } = await import('./commands/retention.ts')
    await withLog(options, (host) => retention(json(options), host))
  })
}
