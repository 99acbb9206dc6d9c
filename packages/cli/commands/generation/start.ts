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
  const isCaughtUp = command.derive !== null
  await command.derive?.(generation)
  if (signal.aborted) printNotice('stopped: derived records stay, and the generation resumes from there')
  else if (command.json) printJson({ generation, status: 'running', caughtUp: isCaughtUp })
  else
    print(isCaughtUp ? `${generation} has caught up` : `${generation} is started: loomlog up or the services derive it`)
}
