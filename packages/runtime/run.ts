/** Hosts a stage: joins its group, and runs a lease for every partition that this process is given. */
import type { Log, Membership } from '@loomlog/log/port'
import { runLease } from './lease-run.ts'
import { groupOf, type Stage } from './stage.ts'

export { groupOf, type Stage } from './stage.ts'

export interface RunOptions {
  readonly log: Log
  readonly stage: Stage
  readonly sessionMs?: number
  /** Ends the work, also during the join. */
  readonly signal?: AbortSignal
  onError(error: unknown): void
}

/** Works until the membership is closed. The topics must exist. */
export async function runStage({ log, stage, sessionMs, signal, onError }: RunOptions): Promise<Membership> {
  return log.join({
    group: groupOf(stage.processor.stage, stage.derivation),
    topic: stage.reads,
    ...(sessionMs === undefined ? {} : { sessionMs }),
    ...(signal === undefined ? {} : { signal }),
    onLease: (lease) => runLease(lease, stage),
    onError,
  })
}
