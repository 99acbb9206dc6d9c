/**
 * The report of `ingest --dry-run`: what would be appended, and everything that is wrong, up to a limit. The command
 * fails where anything is wrong. Conflicts with the log are found only if there is one, not on a server, and not in a
 * file with faults: there the number of known events is unknown too.
 */
import type { LogComparison } from '@loomlog/intake/import/compare'
import { maxFaults } from '@loomlog/intake/import/plan'
import { count, type Output, print, printJson } from '../print.ts'
import { eventsOf, type PlannedImport } from './planned-import.ts'

/** With the log, or why there is none. */
export type DryRunComparison = LogComparison | 'no log' | 'server' | 'faults'

export function reportDryRun(
  { source, plan, planOptions }: PlannedImport,
  compared: DryRunComparison,
  { json }: Output,
): void {
  const { utterances, last, speakers, span, untimed, leftOut } = plan
  const comparison = typeof compared === 'string' ? null : compared
  const faultCount = plan.faultCount + (comparison?.conflictCount ?? 0)
  const faults = [...plan.faults, ...(comparison?.conflicts ?? [])].slice(0, maxFaults).map(({ message }) => message)
  const known = compared === 'no log' ? plan.repeated : (comparison?.known ?? null)
  const counts = {
    format: planOptions.recognised.format,
    events: eventsOf(plan),
    known,
    utterances,
    conversations: last.conversations,
    spaces: last.spaceCount,
    speakers,
    from: span === null ? null : new Date(span.from).toISOString(),
    to: span === null ? null : new Date(span.to).toISOString(),
    untimed,
    leftOut,
  }
  if (faultCount > 0) process.exitCode = 1
  const report = { ...counts, faultCount, faults }
  if (json) printJson({ dryRun: true, ...report })
  else printReport({ name: source.name, isOnServer: compared === 'server', ...report })
}

interface Report {
  readonly name: string
  readonly isOnServer: boolean
  readonly format: string
  readonly events: number
  /** Null: not compared. */
  readonly known: number | null
  readonly utterances: number
  readonly conversations: number
  readonly spaces: number
  readonly speakers: number
  readonly from: string | null
  readonly to: string | null
  readonly untimed: number
  readonly leftOut: { readonly [reason: string]: number }
  readonly faultCount: number
  readonly faults: readonly string[]
}

function printReport(report: Report): void {
  const { name, isOnServer, utterances, speakers, conversations, spaces, untimed, leftOut, faultCount, faults } = report
  print(`${name}: ${report.format}; a dry run appends nothing`)
  const notCompared = isOnServer ? 'not compared with the server' : 'not compared with the log, as there are faults'
  const known = `${count(report.known ?? 0)} of them already in the log, or earlier in the file`
  print(`${count(report.events)} events, ${report.known === null ? notCompared : known}`)
  const places = `${count(conversations)} conversations and ${count(spaces)} spaces`
  print(`${count(utterances)} utterances of ${count(speakers)} speakers in ${places}`)
  if (report.from !== null) print(`from ${report.from} to ${report.to}`)
  const time = isOnServer ? 'their append' : 'the file'
  if (untimed > 0) print(`${count(untimed)} messages have no time, and would get that of ${time}; --at gives another`)
  for (const [reason, number] of Object.entries(leftOut)) print(`${count(number)} left out: ${reason}`)
  print(faultCount === 0 ? 'nothing is wrong' : `${count(faultCount)} faults: nothing would be appended`)
  for (const fault of faults) print(`  ${fault}`)
  if (faultCount > faults.length) print(`  and ${count(faultCount - faults.length)} more`)
}
