/** `loomlog retention`: the spaces that have something to forget by the rules of LOOMLOG_RETENTION. Changes nothing. */
import { expiredSpaces } from '@loomlog/app/forgetting/retention'
import { spacesWithUtterances } from '@loomlog/app/spaces'
import type { Host } from '@loomlog/host/open'
import { retentionRuleOf } from '@loomlog/host/retention-rules'
import { cell, count, dateTimeText, type Output, print, printJson, printNotice, table } from '../print.ts'

export async function retention({ json }: Output, host: Host): Promise<void> {
  const rules = host.config.retention.map(({ text }) => text)
  const unused = await unusedRules(host)
  const found = rules.length === 0 ? [] : await expiredSpaces(host, { now: Date.now(), partitions: null })
  if (json) {
    const spaces = found.map((each) => ({ ...each, appendedBefore: new Date(each.appendedBefore).toISOString() }))
    return printJson({ rules, unused, spaces })
  }
  if (rules.length === 0) return print('every space keeps everything: LOOMLOG_RETENTION has no rule')
  if (unused.length > 0) printNotice(`no space has the rule ${unused.map(cell).join(', ')}`)
  if (found.length === 0) return print(`nothing is old enough to be forgotten by ${rules.join(', ')}`)
  const rows = found.map(({ tenant, space, rule, appendedBefore, utterances, corrections }) => [
    cell(`${tenant}/${space}`),
    cell(rule),
    dateTimeText(appendedBefore),
    count(utterances),
    count(corrections),
  ])
  print(table([['space', 'rule', 'appended before', 'utterances', 'corrections'], ...rows]))
  print('this is a preview: nothing is changed. A server that has these rules forgets it within a day')
}

/** Rules that no space of the log has, such as a name with a typing error. */
async function unusedRules(host: Host): Promise<readonly string[]> {
  const { retention } = host.config
  if (retention.length === 0) return []
  const used = new Set((await spacesWithUtterances(host)).map((space) => retentionRuleOf(space, retention)))
  return retention.filter((rule) => !used.has(rule)).map(({ text }) => text)
}
