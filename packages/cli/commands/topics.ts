/** `loomlog topics plan|apply`: compares the topics of the log with those that loomlog needs, and corrects them. */
import { applyTopics, checkTopics, type ExpectedTopics, type TopicFinding } from '@loomlog/app/topic-check'
import type { Log } from '@loomlog/log/port'
import { type Output, print, printJson, printNotice, table } from '../print.ts'

export async function topics(
  options: Output & ExpectedTopics & { readonly do: 'plan' | 'apply' },
  log: Log,
): Promise<void> {
  const findings = await checkTopics(options, log)
  if (options.json) printJson(findings)
  else printFindings(findings)
  if (options.do === 'plan') return
  for (const { topic, setting, found, wanted } of await applyTopics(options, log)) {
    printNotice(`${topic}: ${setting} is ${found}, not ${wanted}: only the tools of the cluster can change that`)
  }
}

function printFindings(findings: readonly TopicFinding[]): void {
  const rows = findings.flatMap(({ topic, state, wanted, differences }) => {
    if (state === 'missing') return [[topic, 'missing', '—', `${wanted?.partitions} partitions`]]
    if (state === 'right') return [[topic, 'right', '', '']]
    return differences.map(({ setting, found, wanted: value }) => [topic, setting, found, value])
  })
  print(table([['topic', 'state', 'found', 'expected'], ...rows]))
}
