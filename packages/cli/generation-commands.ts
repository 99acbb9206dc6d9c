/** The commands `loomlog generation …`; the code of each is loaded when it runs. */

import { readFileSync } from 'node:fs'
import type { GenerationRequest } from '@loomlog/app/generations/request'
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import type { Command } from 'commander'
import type { CommandFrame } from './command-frame.ts'
import { share, wholeNumber } from './number-options.ts'
import { json, type ServerOptions } from './options.ts'

interface GenerationRequestOptions extends ServerOptions {
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
      'a change: STAGE.prompt=FILE, STAGE.model=NAME, STAGE.<parameter>=NUMBER, view-embedder=VECTOR_SPACE',
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
  readPrompt,
})

export function addGenerationCommands(frame: CommandFrame): void {
  const parent = frame.program
    .command('generation')
    .description('plan, derive, compare and promote generations of the memory')
  const made = (usage: string, description: string) =>
    frame.withServerOptions(frame.command(usage, description, parent))
  addPlanCommands(made, frame)
  addShowCommands(made, frame)
  addDiffCommand(made, frame)
  addStatusCommands(made, frame)
  addRemovalCommands(made, frame)
}

type AddCommand = (usage: string, description: string) => Command

function addPlanCommands(generationCommand: AddCommand, { withGenerations, signal }: CommandFrame): void {
  withRequestOptions(generationCommand('plan', 'show which stages would be derived again, and the cost')).action(
    (options: GenerationRequestOptions) =>
      withGenerations(options, async (operations) =>
        (await import('./commands/generation/plan.ts')).plan({ ...json(options), ...requestFrom(options) }, operations),
      ),
  )
  withRequestOptions(
    generationCommand('start [generation]', 'derive a generation beside the live one, or start a stopped one again'),
  )
    .option('--name <name>', 'name of the new generation')
    .option('--share <share>', 'largest share of the time that it may use while live work is running', share)
    .option('--wait', 'derive it in this process; return when it has caught up, and leave it to the servers')
    .action(
      (id: string | undefined, options: GenerationRequestOptions & { name?: string; share?: number; wait?: true }) =>
        withGenerations(options, async (operations, host) =>
          (await import('./commands/generation/start.ts')).start(
            {
              ...json(options),
              ...requestFrom(options),
              generation: id ?? null,
              name: options.name ?? null,
              share: options.share ?? null,
              derivedBy: options.wait ? 'caller' : 'servers',
              derive: options.wait ? deriveIn(host, { signal, share: options.share ?? null }) : null,
            },
            operations,
            signal,
          ),
        ),
    )
}

function addShowCommands(generationCommand: AddCommand, { withGenerations }: CommandFrame): void {
  generationCommand('list', 'list all generations with their status').action((options: ServerOptions) =>
    withGenerations(options, async (operations) =>
      (await import('./commands/generation/show.ts')).list(json(options), operations),
    ),
  )
  generationCommand('show <generation>', 'show the progress, speed and history of a generation').action(
    (id: string, options: ServerOptions) =>
      withGenerations(options, async (operations) =>
        (await import('./commands/generation/show.ts')).show({ ...json(options), generation: id }, operations),
      ),
  )
}

function addDiffCommand(generationCommand: AddCommand, { withGenerations }: CommandFrame): void {
  generationCommand('diff <before> <after>', 'compare the memories of two generations')
    .option('--space <tenant/space...>', 'only these spaces')
    .option('--questions <file>', 'also compare recall on these questions: JSON lines with space, question, evidence')
    .option('--limit <number>', 'number of changes to list', wholeNumber, 50)
    .action(
      (
        before: string,
        after: string,
        options: ServerOptions & { space?: string[]; questions?: string; limit: number },
      ) =>
        withGenerations(options, async (operations) =>
          (await import('./commands/generation/diff.ts')).diff(
            {
              ...json(options),
              before,
              after,
              spaces: options.space ?? [],
              questions: options.questions ?? null,
              limit: options.limit,
            },
            operations,
          ),
        ),
    )
}

function addRemovalCommands(generationCommand: AddCommand, { withGenerations }: CommandFrame): void {
  generationCommand('retire <generation>', 'mark a generation for removal by gc')
    .option('--dry-run', 'list what would be removed, and change nothing')
    .action((id: string, options: ServerOptions & { dryRun?: true }) =>
      withGenerations(options, async (operations) =>
        (await import('./commands/generation/retire.ts')).retire(
          { ...json(options), generation: id, do: options.dryRun ? 'list' : 'retire' },
          operations,
        ),
      ),
    )
  generationCommand('gc', 'remove the topics, state and views that only retired generations use')
    .option('--dry-run', 'list what would be removed, and change nothing')
    .action((options: ServerOptions & { dryRun?: true }) =>
      withGenerations(options, async (operations) =>
        (await import('./commands/generation/retire.ts')).collect(
          { ...json(options), do: options.dryRun ? 'list' : 'remove' },
          operations,
        ),
      ),
    )
}

function addStatusCommands(generationCommand: AddCommand, { withGenerations }: CommandFrame): void {
  for (const [action, description] of [
    ['pause', 'stop deriving it for now'],
    ['resume', 'continue a paused one'],
    ['cancel', 'stop deriving it; its data stays'],
  ] as const) {
    generationCommand(`${action} <generation>`, description).action((id: string, options: ServerOptions) =>
      withGenerations(options, async (operations) =>
        (await import('./commands/generation/status-change.ts')).changeStatusOf(
          { ...json(options), generation: id, action },
          operations,
        ),
      ),
    )
  }
  generationCommand(
    'promote <generation>',
    "make it the live generation; refused unless it has caught up, with at least half of the live one's facts and entries",
  )
    .option('--tenant <name>', 'only for this tenant')
    .option('--anyway', 'even if it is behind, or has fewer')
    .action((id: string, options: ServerOptions & PromotionFlags) =>
      withGenerations(options, async (operations) =>
        (await import('./commands/generation/status-change.ts')).promote(
          { ...json(options), ...promotionOptions(options), generation: id },
          operations,
        ),
      ),
    )
  generationCommand('rollback', 'make the previously live generation live again')
    .option('--tenant <name>', 'only for this tenant')
    .option('--anyway', 'even if that generation is behind')
    .action((options: ServerOptions & PromotionFlags) =>
      withGenerations(options, async (operations) =>
        (await import('./commands/generation/status-change.ts')).rollback(
          { ...json(options), ...promotionOptions(options) },
          operations,
        ),
      ),
    )
}

interface PromotionFlags {
  readonly tenant?: string
  readonly anyway?: true
}

function promotionOptions({ tenant, anyway }: PromotionFlags) {
  return { tenant: tenant ?? null, checks: anyway ? 'skip' : 'apply' } as const
}

/** @throws LoomlogError `input-invalid`: a server derives a generation by itself */
function deriveIn(
  host: Host | null,
  { signal, share }: { readonly signal: AbortSignal; readonly share: number | null },
) {
  if (host === null)
    throw new LoomlogError('input-invalid', '--wait derives in this process, and --url names a server: leave one out')
  return async (generation: string) => {
    const { deriveWithProgress } = await import('./progress-line.ts')
    const { startAfterDeriving } = await import('@loomlog/app/generations/lifecycle')
    await startAfterDeriving(() => deriveWithProgress(host, { signal, generation }), host, {
      generation,
      share,
      signal,
    })
  }
}

function readPrompt(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new LoomlogError('input-invalid', `the prompt ${file} can't be read: ${(cause as Error).message}`, { cause })
  }
}
