/**
 * `loomlog generation start`: starts a generation beside the live one. The running pipeline (`loomlog up`, services, an
 * ingest) derives it; with `--wait`, this command derives it, and returns when it has caught up.
 */
import type { StartRequest } from '@loomlog/app/generations/definition'
import type { GenerationOperations } from '@loomlog/app/generations/operations'
import { type Output, print, printJson, printNotice } from '../../print.ts'
import { printPlan } from './plan.ts'

export interface StartCommand extends StartRequest, Output {
  /** Derives the generation in this process until it has caught up. Null: the running pipeline derives it. */
  readonly derive: ((generation: string) => Promise<unknown>) | null
}

export async function start(
  command: StartCommand,
  operations: GenerationOperations,
  signal: AbortSignal,
): Promise<void> {
  const { generation, plan } = await operations.start(command)
  if (plan !== null && !command.json) printPlan(plan)
  await command.derive?.(generation)
  if (signal.aborted) return printNotice('stopped: derived records stay, and the generation resumes from there')
  const frozen = command.derive === null ? [] : await frozenParts(generation, operations)
  const isCaughtUp = command.derive !== null && frozen.length === 0
  if (frozen.length > 0) {
    printNotice(`loomlog: ${generation} has not caught up, since parts of it can't run here: ${frozen.join('; ')}`)
    process.exitCode = 2
  }
  if (command.json) printJson({ generation, status: 'running', caughtUp: isCaughtUp })
  else if (frozen.length === 0)
    print(isCaughtUp ? `${generation} has caught up` : `${generation} is started: loomlog up or the services derive it`)
}

/** Deriving ends where only frozen parts are behind. */
async function frozenParts(generation: string, operations: GenerationOperations): Promise<readonly string[]> {
  const { progress } = await operations.details(generation)
  return progress.flatMap(({ name, lag, frozen }) =>
    frozen === null || lag === 0 ? [] : [`${name} is frozen: ${frozen}`],
  )
}
