/**
 * Runs one processor on one partition while its lease holds. Three parts work side by side:
 *
 *     read-loop.ts     records → admission (input.ts) → lanes
 *     lanes.ts         steps (step-work.ts), which ask (answers.ts) and keep state (overlay.ts)
 *     commit-loop.ts   released records → one commit; commit-batching.ts decides how long it waits
 *
 * They share the ledger (ledger.ts). lease-run-end.ts says what happens when the lease is lost or a part fails.
 */
import type { Lease } from '@loomlog/log/port'
import { endUncommitted } from '@loomlog/telemetry/record-spans'
import { ChangeSignal } from './change-signal.ts'
import { CommitLoop } from './commit-loop.ts'
import { InputHandler } from './input.ts'
import { Lanes } from './lanes.ts'
import { LeaseRunEnd } from './lease-run-end.ts'
import { Ledger } from './ledger.ts'
import { Overlay } from './overlay.ts'
import { ReadLoop } from './read-loop.ts'
import type { Stage } from './stage.ts'
import { Watermarks } from './watermarks.ts'

/** Returns when the lease ends. @throws the failure that ended it, if one did */
export async function runLease(lease: Lease, stage: Stage): Promise<void> {
  const changes = new ChangeSignal()
  const end = new LeaseRunEnd(lease, () => changes.notify())
  const fail = (error: unknown) => end.fail(error)
  const ledger = new Ledger(lease.position)
  const watermarks = new Watermarks(stage.processor.reads.derivedFrom === null ? 'source' : 'derived')
  const overlay = new Overlay(lease.state)
  const lanes = new Lanes(end.signal, fail)
  const parts = { lease, stage, ledger, watermarks, changes, end }
  const reading = new ReadLoop(parts, new InputHandler({ stage, overlay, signal: end.signal }), lanes)
  const committing = new CommitLoop(parts, overlay, reading)
  await Promise.all([reading.run().catch(fail), committing.run().catch(fail)])
  await lanes.idle()
  for (const { span } of ledger.open) endUncommitted(span)
  end.throwFailure()
}
