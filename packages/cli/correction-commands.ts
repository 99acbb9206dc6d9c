/** The commands by which somebody changes what is remembered: `correct` and `retract`. */
import type { Command } from 'commander'
import type { Making } from './command-frame.ts'
import { json, type PlaceOptions } from './options.ts'

interface AskOptions extends PlaceOptions {
  readonly by: string
  readonly role: string
  readonly reason?: string
  readonly wait: boolean
}
interface CorrectOptions extends AskOptions {
  readonly text?: string
  readonly pin?: true
  readonly retract?: true
  readonly add?: string
  readonly conversation?: string
}
interface RetractOptions extends AskOptions {
  readonly speaker?: string
  readonly conversation?: string
  readonly derivation?: string
  readonly from?: string
  readonly to?: string
  readonly dryRun?: true
}

export function addCorrections(making: Making): void {
  addCorrect(making)
  addRetract(making)
}

function addCorrect(making: Making): void {
  const { command, inSpace, withLog, signal } = making
  asked(inSpace(command('correct [id]', 'set right what the memory says: a fact, an event, or the line of a document')))
    .option('--text <words>', 'the words that are right')
    .option('--pin', 'it is right, and stays whatever is said later')
    .option('--retract', 'it is wrong, and nothing takes its place')
    .option('--add <words>', 'something that nobody said')
    .option('--conversation <name>', 'where what is added belongs')
    .action((id: string | undefined, options: CorrectOptions) =>
      withLog(options, async (host) =>
        (await import('./commands/correct.ts')).correct(
          { ...options, ...askedBy(options, making), id, until: options.wait ? 'applied' : 'append' },
          host,
          signal,
        ),
      ),
    )
}

function addRetract(making: Making): void {
  const { command, inSpace, withLog, signal } = making
  const about = 'undo all that came from a speaker, conversation, derivation or time; all that are given must fit'
  asked(inSpace(command('retract', about)))
    .option('--speaker <name>', 'what this person or agent said')
    .option('--conversation <name>', 'what was said there')
    .option('--derivation <id>', 'only what this derivation made')
    .option('--from <time>', 'what was said from then on: a day, or a time with its zone')
    .option('--to <time>', 'what was said before')
    .option('--dry-run', 'only show what it would take with it')
    .action((options: RetractOptions) =>
      withLog(options, async (host) => {
        const { speaker, conversation, derivation, from, to } = options
        const causes = { speaker, conversation, derivation, from, to }
        const given = Object.fromEntries(Object.entries(causes).filter(([, cause]) => cause !== undefined))
        const until = options.dryRun ? 'dry-run' : options.wait ? 'applied' : 'append'
        const { retract } = await import('./commands/retract.ts')
        await retract({ ...askedBy(options, making), causes: given, until }, host, signal)
      }),
    )
}

function asked(made: Command): Command {
  return made
    .option('--by <name>', 'who asks', process.env.USER ?? 'cli')
    .option('--role <role>', 'human or agent; an agent never corrects what a person said', 'human')
    .option('--reason <words>', 'why')
    .option('--no-wait', 'append only; whoever runs the pipeline applies it')
}

function askedBy(options: AskOptions, { place }: Making) {
  const { by, role, reason } = options
  return { ...json(options), place: place(options), asker: { by, role, reason } }
}
