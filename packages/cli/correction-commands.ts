/** The commands that change a memory: `correct` and `retract`. */
import { type Command, Option } from 'commander'
import type { CommandFrame } from './command-frame.ts'
import type { CorrectOptions } from './commands/correct.ts'
import type { RetractOptions } from './commands/retract.ts'

export function addCorrectionCommands(frame: CommandFrame): void {
  addCorrect(frame)
  addRetract(frame)
}

function addCorrect(frame: CommandFrame): void {
  const { command, withSpaceOptions, withServerOptions, withMemory, place, signal } = frame
  withAuthor(
    withServerOptions(
      withSpaceOptions(command('correct [id]', 'correct a memory: a fact, an event, or an entry of a document')),
    ),
  )
    .option('--text <words>', 'the right wording')
    .option(
      '--from <time>',
      'with --text: the memory holds until this time, and the wording from then on: a day, or a time with a zone',
    )
    .option('--pin', 'confirm it: later utterances do not replace it')
    .option('--retract', 'remove it without a replacement')
    .option('--add <words>', 'add a statement that is in no utterance')
    .option('--conversation <name>', 'conversation of the added statement')
    .action(async (id: string | undefined, options: CorrectOptions) => {
      const { application, correct } = await import('./commands/correct.ts')
      const { space } = place(options)
      await withMemory(options, (memory, host) =>
        correct(id, options, { space: memory.space(space), apply: application(host, options, signal) }),
      )
    })
}

function addRetract(frame: CommandFrame): void {
  const { command, withSpaceOptions, withServerOptions, withMemory, place, signal } = frame
  const about =
    'remove every memory with a given origin: utterances, a speaker, conversation, key, derivation or time; filters are combined with AND'
  withAuthor(withServerOptions(withSpaceOptions(command('retract', about))))
    .option('--utterance <id...>', 'only these utterances')
    .option('--speaker <name>', 'utterances of this person or agent')
    .option('--conversation <name>', 'utterances of this conversation')
    .option('--principal <name>', 'utterances that this key or token brought: key:ID or token:SUBJECT')
    .option('--derivation <id>', 'only memories of this derivation')
    .option('--from <time>', 'utterances from this time on: a day, or a time with a zone')
    .option('--to <time>', 'utterances before this time')
    .option('--dry-run', 'list the affected memories, and change nothing')
    .action(async (options: RetractOptions) => {
      const { application } = await import('./commands/correct.ts')
      const { retract } = await import('./commands/retract.ts')
      const { space } = place(options)
      await withMemory(options, (memory, host) =>
        retract(options, memory.space(space), application(host, options, signal)),
      )
    })
}

function withAuthor(made: Command): Command {
  return made
    .option('--by <name>', 'author of the correction', process.env.USER || 'cli')
    .addOption(
      new Option('--role <role>', 'an agent cannot correct the words of a person')
        .choices(['human', 'agent'])
        .default('human'),
    )
    .option('--reason <words>', 'why')
    .option('--no-wait', 'append the correction, and leave its application to the running pipeline')
}
