/**
 * `loomlog generation start`: starts a generation beside the live one. The running pipeline (`loomlog up`, services, an ingest) derives it; with
 * `--wait`, this command derives it, and returns when it has caught up.
 */

import { type StartRequest, startByRequest } from '@loomlog/app/generations/start'
import type { Host } from '@loomlog/host/open'
import { type Output, print, printJson, say } from '../../print.ts'
import { deriveWithProgress } from '../../progress-line.ts'
import { printPlan } from './plan.ts'

export interface StartCommand extends Omit<StartRequest, 'ifRunning' | 'onPlan'>, Output {
  readonly until: 'started' | 'caught up'
}

export async function start(command: StartCommand, host: Host, signal: AbortSignal): Promise<void> {
  const isAwaited = command.until === 'caught up'
  const id = await startByRequest(
    {
      ...command,
      // With --wait, a running generation is awaited, not started a second time.
      ifRunning: isAwaited ? 'keep' : 'refuse',
      onPlan: (plan) => {
        if (!command.json) printPlan(plan)
      },
    },
    host,
  )
  if (isAwaited) await deriveWithProgress(host, { signal, generation: id })
  if (signal.aborted) say('stopped: derived records stay, and the generation resumes from there')
  else if (command.json) printJson({ generation: id, status: 'running', caughtUp: isAwaited })
  else print(isAwaited ? `${id} has caught up` : `${id} is started: loomlog up or the services derive it`)
}
