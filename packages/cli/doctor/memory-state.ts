/** Findings on the derived memory: how far stages and views have come, processes that wait, inputs that failed. */
import type { PartStatus, Status } from '@loomlog/app/status'
import { count } from '../print.ts'
import { away, type Finding, ok, problem, warning } from './check-result.ts'

/** A part that a process derives, and that is further behind than this, needs a look. */
const mostBehindMs = 60_000

export type MemoryStatus = Pick<Status, 'generation' | 'stages' | 'views' | 'waiting' | 'parked' | 'webhooks'>

export function memoryFindings(status: MemoryStatus): readonly Finding[] {
  if (status.generation === null)
    return [ok('memory', 'there is no generation yet: loomlog up or ingest derives the first')]
  const owners = [...new Set(status.stages.flatMap((stage) => stage.owners))]
  const behind = [...status.stages, ...status.views].flatMap((part) => partFindings(part, owners.length > 0))
  return [
    ok('process', owners.length === 0 ? 'none derives now' : `derived by ${owners.join(', ')}`),
    ...(behind.length === 0 ? [ok('memory', 'stages and views have caught up')] : behind),
    ...status.waiting.map(({ process, text }) => away('process', `${process} waits: ${text}`, 'loomlog status')),
    parkedFinding(status.parked),
    ...webhookFindings(status.webhooks),
  ]
}

function partFindings({ name, lag, frozen, behindMs }: PartStatus, isDerived: boolean): readonly Finding[] {
  if (frozen !== null) return [problem(name, `frozen: ${frozen}`, 'loomlog generation plan')]
  if (lag === 0) return []
  const text = `${count(lag)} records behind, the oldest for ${count(Math.round(behindMs / 1_000))} s`
  if (!isDerived) return [warning(name, text, 'loomlog up')]
  return [behindMs > mostBehindMs ? warning(name, text, 'loomlog status') : ok(name, text)]
}

function parkedFinding(parked: number): Finding {
  if (parked === 0) return ok('parked', 'no input waits for a retry')
  return warning('parked', `${count(parked)} ${parked === 1 ? 'input' : 'inputs'} failed`, 'loomlog parked list')
}

function webhookFindings({ disabled, parked }: MemoryStatus['webhooks']): readonly Finding[] {
  if (disabled + parked === 0) return []
  const text = `${count(disabled)} disabled, ${count(parked)} parked deliveries`
  return [warning('webhooks', text, 'loomlog webhooks list')]
}
