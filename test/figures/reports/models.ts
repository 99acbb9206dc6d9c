/** The tables of packages/models/README.md. */
import embedders from '../../../docs/figures/embedders.json' with { type: 'json' }
import { type Block, share, table } from '../blocks.ts'

const columns = ['LoCoMo R@10', 'BEAM R@10', 'TIAGE AUC'] as const

export const modelBlocks: readonly Block[] = [
  {
    file: 'packages/models/README.md',
    name: 'embedders',
    lines: table(
      ['embedder', ...columns, 'ms a text'],
      embedders.table.map((each) => [
        each.embedder,
        ...columns.map((column) => share(each[column])),
        each['ms a text'].toFixed(1),
      ]),
    ),
  },
]
