/** The table of fuzzed requests in test/faults/README.md. */
import fuzz from '../../../docs/figures/fuzz.json' with { type: 'json' }
import { type Block, count, table } from '../blocks.ts'

const sumOf = (by: Readonly<Record<string, number>>) => Object.values(by).reduce((sum, times) => sum + times, 0)
const outcomes = (by: Readonly<Record<string, number>>) =>
  Object.entries(by)
    .map(([outcome, times]) => `${outcome}: ${count(times)}`)
    .join(', ')

function rowOf({ log, isKept, details }: (typeof fuzz.results)[number]): readonly string[] {
  const { statuses, recalls, broken, ended } = details
  return [
    log,
    `${count(sumOf(statuses))} (${outcomes(statuses)})`,
    `${count(sumOf(recalls))} (${outcomes(recalls)})`,
    `${count(broken.length)}, ${count(ended.length)}`,
    isKept ? 'kept' : 'not kept',
  ]
}

export const fuzzBlocks: readonly Block[] = [
  {
    file: 'test/faults/README.md',
    name: 'fuzz',
    lines: [
      `\`${fuzz.command}\`, ${fuzz.machine}, commit ${fuzz.commit}:`,
      '',
      ...table(
        ['log', 'requests', 'recalls at once', 'broken replies, ends of the process', 'promise'],
        fuzz.results.map(rowOf),
      ),
    ],
  },
]
