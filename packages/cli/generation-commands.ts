/** The commands `loomlog generation …`; the code of each is loaded when it runs. */

import type { GenerationRequest } from '@loomlog/app/generations/request'
import type { Command } from 'commander'
import type { CommandFrame } from './command-frame.ts'
import { share, wholeNumber } from './number-options.ts'
import { type CommonOptions, json } from './options.ts'

interface GenerationRequestOptions extends CommonOptions {
  readonly set?: readonly string[]
  readonly from?: string
  readonly tenant?: string
  readonly sample?: number
  readonly seed: number
  readonly spaces?: readonly string[]
}

function withRequestOptions(made: Command): Command {
  return made
    .option(
      '--set <key=value...>',
      'a change: STAGE.prompt=FILE, STAGE.model=NAME, STAGE.<parameter>=NUMBER, view-embedder=SPACE',
    )
    .option('--from <generation>', 'generation to start from (default: the live one)')
    .option('--tenant <name>', 'derive only the spaces of this tenant')
    .option('--sample <share>', 'derive only this share of the spaces, such as 0.1', share)
    .option('--seed <number>', 'seed of the sample', wholeNumber, 1)
    .option('--spaces <tenant/space...>', 'derive only these spaces')
}

const requestFrom = ({
  set = [],
  from,
  tenant,
  sample,
  seed,
  spaces = [],
}: GenerationRequestOptions): GenerationRequest => ({
  set,
  from: from ?? null,
  tenant: tenant ?? null,
  sample: sample === undefined ? null : { share: sample, seed },
  spaces,
})

export function addGenerationCommands(frame: CommandFrame): void {
  const parent = frame.program
    .command('generation')
    .description('plan, derive, compare and promote generations of the memory')
  const made = (usage: string, description: string) => frame.command(usage, description, parent)
  addPlanCommands(made, frame)
  addShowCommands(made, frame)
  addDiffCommand(made, frame)
  addStatusCommands(made, frame)
  addRemovalCommands(made, frame)
}

type AddCommand = (usage: string, description: string) => Command

function addPlanCommands(generationCommand: AddCommand, { withLog, signal }: CommandFrame): void {
  withRequestOptions(generationCommand('plan', 'show which stages would be derived again, and the cost')).action(
    (options: GenerationRequestOptions) =>
      withLog(options, async (host) =>
        (await import('./commands/generation/plan.ts')).plan({ ...json(options), ...requestFrom(options) }, host),
      ),
  )
  withRequestOptions(
    generationCommand('start [generation]', 'derive a generation beside the live one, or start a stopped one again'),
  )
    .option('--name <name>', 'name of the new generation')
    .option('--share <share>', 'largest share of the time that it may use while live work is running', share)
    .option('--wait', 'derive it in this process, and return when it has caught up')
    .action(
      (id: string | undefined, options: GenerationRequestOptions & { name?: string; share?: number; wait?: true }) =>
        withLog(options, async (host) =>
          (await import('./commands/generation/start.ts')).start(
            {
              ...json(options),
              ...requestFrom(options),
              generation: id ?? null,
              name: options.name ?? null,
              share: options.share ?? null,
              until: options.wait ? 'caught up' : 'started',
            },
            host,
            signal,
          ),
        ),
    )
}

function addShowCommands(generationCommand: AddCommand, { withLog }: CommandFrame): void {
  generationCommand('list', 'list all generations with their status').action((options: CommonOptions) =>
    withLog(options, async (host) => (await import('./commands/generation/show.ts')).list(json(options), host)),
  )
  generationCommand('show <generation>', 'show the progress, speed and history of a generation').action(
    (id: string, options: CommonOptions) =>
      withLog(options, async (host) =>
        (await import('./commands/generation/show.ts')).show({ ...json(options), generation: id }, host),
      ),
  )
}

function addDiffCommand(generationCommand: AddCommand, { withLog }: CommandFrame): void {
  generationCommand('diff <before> <after>', 'compare the memories of two generations')
    .option('--space <tenant/space...>', 'only these spaces')
    .option('--questions <file>', 'also compare recall on these questions: JSON lines with space, question, evidence')
    .option('--limit <number>', 'number of changes to list', wholeNumber, 50)
    .action(
      (
        before: string,
        after: string,
        options: CommonOptions & { space?: string[]; questions?: string; limit: number },
      ) =>
        withLog(options, async (host) =>
          (await import('./commands/generation/diff.ts')).diff(
            {
              ...json(options),
              before,
              after,
              spaces: options.space ?? [],
              questions: options.questions ?? null,
              limit: options.limit,
            },
            host,
          ),
        ),
    )
}

function addRemovalCommands(generationCommand: AddCommand, { withLog }: CommandFrame): void {
  generationCommand('retire <generation>', 'mark a generation for removal by gc')
    .option('--dry-run', 'list what would be removed, and change nothing')
    .action((id: string, options: CommonOptions & { dryRun?: true }) =>
      withLog(options, async (host) =>
        (await import('./commands/generation/retire.ts')).retire(
          { ...json(options), generation: id, do: options.dryRun ? 'list' : 'retire' },
          host,
        ),
      ),
    )
  generationCommand('gc', 'remove the topics, state and views that only retired generations use')
    .option('--dry-run', 'list what would be removed, and change nothing')
    .action((options: CommonOptions & { dryRun?: true }) =>
      withLog(options, async (host) =>
        (await import('./commands/generation/retire.ts')).collect(
          { ...json(options), do: options.dryRun ? 'list' : 'remove' },
          host,
        ),
      ),
    )
}

function addStatusCommands(generationCommand: AddCommand, { withLog }: CommandFrame): void {
  for (const [move, description] of [
    ['pause', 'stop deriving it for now'],
    ['resume', 'continue a paused one'],
    ['cancel', 'stop deriving it; its data stays'],
  ] as const) {
    generationCommand(`${move} <generation>`, description).action((id: string, options: CommonOptions) =>
      withLog(options, async (host) =>
        (await import('./commands/generation/status-change.ts')).changeStatusOf(
          { ...json(options), generation: id, move },
          host,
        ),
      ),
    )
  }
  generationCommand('promote <generation>', 'make it the live generation; refused unless it has caught up')
    .option('--tenant <name>', 'only for this tenant')
    .action((id: string, options: CommonOptions & { tenant?: string }) =>
      withLog(options, async (host) =>
        (await import('./commands/generation/status-change.ts')).promote(
          { ...json(options), generation: id, tenant: options.tenant ?? null },
          host,
        ),
      ),
    )
  generationCommand('rollback', 'make the previously live generation live again')
    .option('--tenant <name>', 'only for this tenant')
    .option('--anyway', 'even if that generation is behind')
    .action((options: CommonOptions & { tenant?: string; anyway?: true }) =>
      withLog(options, async (host) =>
        (await import('./commands/generation/status-change.ts')).rollback(
          { ...json(options), tenant: options.tenant ?? null, ifBehind: options.anyway ? 'roll back' : 'refuse' },
          host,
        ),
      ),
    )
}
