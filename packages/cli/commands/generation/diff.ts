/** `loomlog generation diff A B`: the differences of B's memory from A's: counts, then the changes. */

import { type Comparison, type ComparisonRequest, compareGenerations } from '@loomlog/app/generations/comparison'
import type { Score } from '@loomlog/app/generations/questions'
import type { Kind } from '@loomlog/generations/diff/memory'
import type { Host } from '@loomlog/host/open'
import { count, faint, heading, type Output, print, printable, printJson, table } from '../../print.ts'

export async function diff(options: ComparisonRequest & Output, host: Host): Promise<void> {
  const compared = await compareGenerations(options, host)
  if (options.json) return printJson(compared)
  const { before, after, behind, notCovered, corrections } = compared
  for (const [id, lag] of [[before, behind.before] as const, [after, behind.after] as const]) {
    if (lag === null) continue
    print(
      `${id} is ${count(lag.records)} records behind in ${lag.part}: records that it has not derived show as differences`,
    )
  }
  if (notCovered > 0) print(`${count(notCovered)} spaces are left out: one of the two generations does not cover them`)
  printChanges(compared)
  printScores(compared.questions)
  for (const { space, correction, outcome } of corrections.missed) {
    const why = outcome === 'missed' ? 'found no memory to correct' : 'found more than one memory to correct'
    print(`${faint(space)}  the correction ${correction} ${why}`)
  }
}

function printChanges({ counts, spaces, changes, leftOut }: Comparison): void {
  const rows = (Object.entries(counts) as [Kind, Comparison['counts'][Kind]][]).map(([kind, each]) =>
    [kind, each.same, each.added, each.removed, each.reworded, each.moved].map((cell) =>
      typeof cell === 'number' ? count(cell) : cell,
    ),
  )
  const [titles = '', ...lines] = table([['', 'same', 'added', 'removed', 'reworded', 'moved'], ...rows]).split('\n')
  print([heading(titles), ...lines].join('\n'))
  print(spaces.length === 0 ? 'no differences' : `in ${spaces.map(({ space }) => space).join(', ')}`)
  for (const { space, kind, what, before: old, after: now } of changes) {
    print(`${faint(space)}  ${kind} ${what}`)
    if (old) print(`  - ${printable(old.text).replaceAll('\n', ' ')} ${faint(old.id)}`)
    if (now) print(`  + ${printable(now.text).replaceAll('\n', ' ')} ${faint(now.id)}`)
  }
  if (leftOut > 0) print(`${count(leftOut)} more changes: --limit raises the number shown`)
}

function printScores({ before, after }: Comparison['questions']): void {
  if (before === null || after === null) return
  const shown = ({ recallAt10, hitAt10 }: Score) => `recall@10 ${recallAt10.toFixed(3)}, hit@10 ${hitAt10.toFixed(3)}`
  print(`${count(before.questions)} questions: before ${shown(before)}; after ${shown(after)}`)
}
