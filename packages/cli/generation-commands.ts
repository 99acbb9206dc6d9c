/** The words of `loomlog generation …`, and the code behind each, loaded when it is asked for. */

import type { Wish } from '@loomlog/app/generations/request'
import type { Command } from 'commander'
import type { Making } from './command-frame.ts'
import { share, wholeNumber } from './number-options.ts'
import { type CommonOptions, json } from './options.ts'

interface WishOptions extends CommonOptions {
  readonly set: readonly string[]
  readonly from?: string
  readonly tenant?: string
  readonly sample?: number
  readonly seed: number
  readonly spaces: readonly string[]
}

function withWish(made: Command): Command {
  return made
    .option(
      '--set <key=value...>',
      'STAGE.prompt=FILE, STAGE.model=NAME, STAGE.<parameter>=NUMBER, view-embedder=SPACE',
      [],
    )
    .option('--from <generation>', 'what it follows; default: what is live')
    .option('--tenant <name>', 'only the spaces of this tenant')
    .option('--sample <share>', 'only this share of the spaces, such as 0.1', share)
    .option('--seed <number>', 'which spaces a sample draws', wholeNumber, 1)
    .option('--spaces <tenant/space...>', 'only these spaces', [])
}

const wish = ({ set, from, tenant, sample, seed, spaces }: WishOptions): Wish => ({
  set,
  from: from ?? null,
  tenant: tenant ?? null,
  sample: sample === undefined ? null : { share: sample, seed },
  spaces,
})

export function addGenerationCommands(frame: Making): void {
  const parent = frame.program.command('generation').description('what is derived how, and which derivation answers')
  const made = (usage: string, description: string) => frame.command(usage, description, parent)
  addPlanning(made, frame)
  addShowing(made, frame)
  addComparing(made, frame)
  addMoves(made, frame)
  addRemoving(made, frame)
}

type Made = (usage: string, description: string) => Command

function addPlanning(generationCommand: Made, { withLog, signal }: Making): void {
  withWish(generationCommand('plan', 'what would be derived anew, and what reused')).action((options: WishOptions) =>
    withLog(options, async (host) =>
      (await import('./commands/generation/plan.ts')).plan({ ...json(options), ...wish(options) }, host),
    ),
  )
  withWish(generationCommand('start [generation]', 'derive one beside what is live; or start an old one again'))
    .option('--name <name>', 'what to call it')
    .option('--share <share>', 'of the time that it may take beside live work', share)
    .option('--wait', 'derive it here, and return when it has caught up')
    .action((id: string | undefined, options: WishOptions & { name?: string; share?: number; wait?: true }) =>
      withLog(options, async (host) =>
        (await import('./commands/generation/start.ts')).start(
          {
            ...json(options),
            ...wish(options),
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

function addShowing(generationCommand: Made, { withLog }: Making): void {
  generationCommand('list', 'all of them, and what is done for each').action((options: CommonOptions) =>
    withLog(options, async (host) => (await import('./commands/generation/show.ts')).list(json(options), host)),
  )
  generationCommand('show <generation>', 'one of them: how far, how fast, and what happened to it').action(
    (id: string, options: CommonOptions) =>
      withLog(options, async (host) =>
        (await import('./commands/generation/show.ts')).show({ ...json(options), generation: id }, host),
      ),
  )
}

function addComparing(generationCommand: Made, { withLog }: Making): void {
  generationCommand('diff <before> <after>', 'what the memory of the one says otherwise than that of the other')
    .option('--space <tenant/space...>', 'only these spaces', [])
    .option(
      '--questions <file>',
      'also how much of their evidence recall finds: JSON lines of space, question, evidence',
    )
    .option('--limit <number>', 'changes that are listed', wholeNumber, 50)
    .action(
      (
        before: string,
        after: string,
        options: CommonOptions & { space: string[]; questions?: string; limit: number },
      ) =>
        withLog(options, async (host) =>
          (await import('./commands/generation/diff.ts')).diff(
            {
              ...json(options),
              before,
              after,
              spaces: options.space,
              questions: options.questions ?? null,
              limit: options.limit,
            },
            host,
          ),
        ),
    )
}

function addRemoving(generationCommand: Made, { withLog }: Making): void {
  generationCommand('retire <generation>', 'nobody needs it any more: gc may remove it')
    .option('--dry-run', 'only say what would go')
    .action((id: string, options: CommonOptions & { dryRun?: true }) =>
      withLog(options, async (host) =>
        (await import('./commands/generation/retire.ts')).retire(
          { ...json(options), generation: id, do: options.dryRun ? 'say what would go' : 'retire' },
          host,
        ),
      ),
    )
  generationCommand('gc', 'remove what retired generations hold alone: streams, state, views')
    .option('--dry-run', 'only say what would go')
    .action((options: CommonOptions & { dryRun?: true }) =>
      withLog(options, async (host) =>
        (await import('./commands/generation/retire.ts')).collect(
          { ...json(options), do: options.dryRun ? 'say what would go' : 'remove' },
          host,
        ),
      ),
    )
}

function addMoves(generationCommand: Made, { withLog }: Making): void {
  for (const [move, description] of [
    ['pause', 'its work waits'],
    ['resume', 'its work goes on'],
    ['cancel', 'its work is given up; what there is stays'],
  ] as const) {
    generationCommand(`${move} <generation>`, description).action((id: string, options: CommonOptions) =>
      withLog(options, async (host) =>
        (await import('./commands/generation/status-change.ts')).moveStatus(
          { ...json(options), generation: id, move },
          host,
        ),
      ),
    )
  }
  generationCommand('promote <generation>', 'from here on it answers; refused unless it has caught up')
    .option('--tenant <name>', 'for this tenant only')
    .action((id: string, options: CommonOptions & { tenant?: string }) =>
      withLog(options, async (host) =>
        (await import('./commands/generation/status-change.ts')).promote(
          { ...json(options), generation: id, tenant: options.tenant ?? null },
          host,
        ),
      ),
    )
  generationCommand('rollback', 'what answered before answers again')
    .option('--tenant <name>', 'for this tenant only')
    .option('--anyway', 'even if it is behind')
    .action((options: CommonOptions & { tenant?: string; anyway?: true }) =>
      withLog(options, async (host) =>
        (await import('./commands/generation/status-change.ts')).rollback(
          { ...json(options), tenant: options.tenant ?? null, ifBehind: options.anyway ? 'go back' : 'refuse' },
          host,
        ),
      ),
    )
}
