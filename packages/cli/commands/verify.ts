/** `loomlog verify`: compares the live generation's views with the log. Exits with 1 where they differ. */
import { type Verification, verifyViews } from '@loomlog/app/verification'
import type { Host } from '@loomlog/host/open'
import { count, type Output, print, printJson, table } from '../print.ts'

export async function verify(
  { json, views }: Output & { readonly views: readonly string[] },
  host: Host,
): Promise<void> {
  const verification = await verifyViews(views, host)
  if (json) printJson(verification)
  else printVerification(verification)
  if (verification.differences > 0) process.exitCode = 1
}

function printVerification({ tables, differences }: Verification): void {
  const rows = tables.map((each) => [each.table, `p${each.partition}`, `${each.watermark}`, count(each.differences)])
  print(table([['table', 'shard', 'watermark', 'differences'], ...rows]))
  for (const each of tables) {
    for (const { what, space, id, fields } of each.shown) {
      print(
        `${each.table} p${each.partition}: ${what} ${space} ${id}${fields.length > 0 ? `: ${fields.join(', ')}` : ''}`,
      )
    }
    const more = each.differences - each.shown.length
    if (more > 0) print(`${each.table} p${each.partition}: ${count(more)} more`)
  }
  print(differences === 0 ? 'the views match the log' : `${count(differences)} rows differ from the log`)
}
