/** The tables of services/topic-loom/README.md. */
import shifts from '../../../docs/figures/shifts.json' with { type: 'json' }
import { type Block, share, table } from '../blocks.ts'

const file = 'services/topic-loom/README.md'
const [defaults, ...others] = shifts.boxTable

const areas = table(
  ['AUC', 'score', 'cosine with the last message', "the same features, TIAGE's labels alone"],
  shifts.areaTable.map((each) => [
    each.on,
    share(each['AUC score']),
    share(each['cosine alone']),
    share(each['trained on TIAGE alone']),
  ]),
)

const measures = ['F1', 'precision', 'recall', 'Pk', 'WindowDiff'] as const

function agreement(name: string, values: { readonly [measure in (typeof measures)[number]]?: number }) {
  return [name, ...measures.map((measure) => share(values[measure] ?? Number.NaN))]
}

const boundaries = table(
  ['TIAGE dev', 'F1', 'precision', 'recall', 'Pk', 'WindowDiff'],
  [
    ...(defaults === undefined ? [] : [agreement('**boxes with the defaults**', defaults)]),
    ...shifts.segmentations.map((each) => agreement(each.method, each)),
  ],
)

const sizes = Object.entries(defaults?.sizes ?? {}).sort(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
const boxes = sizes.reduce((sum, [, each]) => sum + each, 0)
const boxSizes = table(
  ['size', ...sizes.map(([size]) => size)],
  [
    ['boxes', ...sizes.map(([, each]) => String(each))],
    ['%', ...sizes.map(([, each]) => ((100 * each) / boxes).toFixed(0))],
  ],
)

const settings = ['shiftScore', 'partialScore', 'minUtterancesOnPartial', 'maxUtterances'] as const
const variants = table(
  ['other than the default', 'mean size', 'boxes of one', 'F1 on TIAGE dev'],
  others.map((each) => [
    settings
      .filter((name) => each[name] !== defaults?.[name])
      .map((name) => `\`${name}\` ${each[name]}`)
      .join(', '),
    each['LoCoMo mean size'].toFixed(1),
    `${each['singles %'].toFixed(0)} %`,
    share(each.F1),
  ]),
)

export const topicLoomBlocks: readonly Block[] = [
  { file, name: 'areas', lines: areas },
  { file, name: 'boundaries', lines: boundaries },
  { file, name: 'box sizes', lines: boxSizes },
  { file, name: 'parameters', lines: variants },
]
