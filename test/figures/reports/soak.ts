/** The chart of the soak in test/faults/README.md. */
import soak from '../../../docs/figures/soak.json' with { type: 'json' }
import { type Block, count } from '../blocks.ts'

/** Every fifth sample, one for five minutes, so that a chart has about a dozen points. */
const points = soak.samples.filter((_, index) => index % 5 === 0)
const minutes = points.map(({ atSeconds }) => Math.round(atSeconds / 60))

function chart(title: string, values: readonly number[]): readonly string[] {
  const most = Math.ceil((Math.max(...values) * 1.1) / 100) * 100
  return [
    '```mermaid',
    'xychart-beta',
    `    title "${title}"`,
    `    x-axis "minutes" [${minutes.join(', ')}]`,
    `    y-axis 0 --> ${most}`,
    `    line [${values.join(', ')}]`,
    '```',
  ]
}

const { rssMb, openFiles, warmAfterSeconds } = soak
const summary =
  `\`${soak.command}\`, ${soak.machine}, ${soak.note}. Medians of the first and the last quarter after ${warmAfterSeconds} s: ` +
  `${count(rssMb.first)} and ${count(rssMb.last)} MB; ${openFiles.first} and ${openFiles.last} open files. ` +
  `Failures: ${soak.failures}. Promise ${soak.kept === 'yes' ? 'kept' : 'not kept'}.`

export const soakBlocks: readonly Block[] = [
  {
    file: 'test/faults/README.md',
    name: 'soak',
    lines: [
      summary,
      '',
      ...chart(
        'resident memory, MB',
        points.map((each) => each.rssMb),
      ),
      '',
      ...chart(
        'open files',
        points.map((each) => each.openFiles),
      ),
    ],
  },
]
