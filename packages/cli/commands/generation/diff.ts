/** `loomlog generation diff A B`: the differences of B's memory from A's: counts, then the changes. */
import type { Comparison, ComparisonRequest } from '@loomlog/app/generations/comparison'
import type { GenerationOperations } from '@loomlog/app/generations/operations'
import { readQuestions, type Score } from '@loomlog/app/generations/questions'
import type { DiffKind } from '@loomlog/generations/diff/memory'
import type { SpaceDiff } from '@loomlog/generations/diff/space'
import { cell, count, faint, heading, type Output, print, printJson, table } from '../../print.ts'

export interface DiffOptions extends Omit<ComparisonRequest, 'questions'>, Output {
  /** The path of a file; null: recall is not compared. */
  readonly questions: string | null
}

export async function diff(options: DiffOptions, operations: GenerationOperations): Promise<void> {
  const questions = options.questions === null ? null : readQuestions(options.questions)
  const compared = await operations.compare({ ...options, questions })
  if (options.json) return printJson(compared)
  const { behind, notCovered, corrections } = compared
  for (const [id, lag] of [[compared.before, behind.before] as const, [compared.after, behind.after] as const]) {
    if (lag === null) continue
    print(
      `${id} is ${count(lag.records)} records behind in ${lag.part}: records that it has not derived show as differences`,
    )
  }
  if (notCovered > 0) print(`${count(notCovered)} spaces are left out: one of the two generations does not cover them`)
  printDiff(compared)
  for (const { space, correction, outcome } of corrections.missed) {
    print(
      `${faint(cell(space))}  the correction ${correction} ${outcome === 'missed' ? 'found no memory to correct' : 'found more than one memory to correct'}`,
    )
  }
}

function printDiff({ counts, spaces, changes, leftOut, questions: { before, after } }: Comparison): void {
  const rows = (Object.entries(counts) as [DiffKind, SpaceDiff['counts'][DiffKind]][]).map(([kind, each]) =>
    [kind, each.same, each.added, each.removed, each.reworded, each.moved].map((cell) =>
      typeof cell === 'number' ? count(cell) : cell,
    ),
  )
  const [titles = '', ...lines] = table([['', 'same', 'added', 'removed', 'reworded', 'moved'], ...rows]).split('\n')
  print([heading(titles), ...lines].join('\n'))
  print(spaces.length === 0 ? 'no differences' : `in ${spaces.map(({ space }) => cell(space)).join(', ')}`)
  for (const { space, kind, what, before: old, after: now } of changes) {
    print(`${faint(cell(space))}  ${kind} ${what}`)
    if (old) print(`  - ${cell(old.text)} ${faint(cell(old.id))}`)
    if (now) print(`  + ${cell(now.text)} ${faint(cell(now.id))}`)
  }
  if (leftOut > 0) print(`${count(leftOut)} more changes: --limit raises the number shown`)
  if (before === null || after === null) return
  const shown = ({ recallAt10, hitAt10 }: Score) => `recall@10 ${recallAt10.toFixed(3)}, hit@10 ${hitAt10.toFixed(3)}`
  print(`${count(before.questions)} questions: before ${shown(before)}; after ${shown(after)}`)
}
