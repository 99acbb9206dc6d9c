/**
 * `loomlog verify`: compares the live generation's views with the log, and reads every record of the log. Exits with 1
 * where they differ.
 */
import { discardDifferingShards, type Verification, verifyViews } from '@loomlog/app/verification'
import type { Host } from '@loomlog/host/open'
import { cell, count, type Output, print, printJson, printNotice, table } from '../print.ts'
import { deriveWithProgress } from '../progress-line.ts'

export interface VerifyCommand extends Output {
  readonly views: readonly string[]
  /** `repair`: rebuilds the shards that differ or can't be read, and verifies again. */
  readonly mode: 'report' | 'repair'
  readonly signal: AbortSignal
}

export async function verify({ json, views, mode, signal }: VerifyCommand, host: Host): Promise<void> {
  let verification = await verifyViews(views, host)
  if (mode === 'repair' && verification.differences > 0) {
    if (!json) printVerification(verification)
    printNotice('rebuilding the damaged shards from the log')
    await discardDifferingShards(verification, host)
    await deriveWithProgress(host, { signal })
    verification = await verifyViews(views, host)
  }
  if (json) printJson(verification)
  else printVerification(verification)
  if (verification.differences > 0 || verification.damagedRecords.length > 0) process.exitCode = 1
}

function printVerification({ tables, differences, damagedRecords }: Verification): void {
  const rows = tables.map((each) => [each.table, `p${each.partition}`, `${each.watermark}`, count(each.differences)])
  print(table([['table', 'shard', 'watermark', 'differences'], ...rows]))
  for (const each of tables) {
    const name = `${each.table} p${each.partition}`
    if (each.unreadable !== null) print(`${name}: ${each.unreadable}`)
    for (const { what, space, id, fields } of each.shown) {
      print(`${name}: ${what} ${cell(space)} ${cell(id)}${fields.length > 0 ? `: ${fields.join(', ')}` : ''}`)
    }
    const more = each.differences - each.shown.length
    if (more > 0 && each.unreadable === null) print(`${name}: ${count(more)} more`)
  }
  for (const reason of damagedRecords) print(cell(reason))
  print(differences === 0 ? 'the views match the log' : `${count(differences)} rows or shards differ from the log`)
}
