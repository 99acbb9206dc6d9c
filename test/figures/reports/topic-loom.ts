/** The tables of services/topic-loom/README.md. */
import shifts from '../../../docs/figures/shifts.json' with { type: 'json' }
import { type Block, share, table } from '../blocks.ts'
import { withStaleNote } from '../provenance.ts'

const file = 'services/topic-loom/README.md'
const [defaults, ...others] = shifts.boxTable

const everywhere = table(
  ['held out', 'AUC', 'cosine', 'F1', 'precision', 'recall', 'Pk', 'F1 at its own best threshold'],
  shifts.agreementTable.map((each) => [
    each.on,
    ...[each['AUC score'], each['AUC cosine'], each.F1, each.precision, each.recall, each.Pk].map((value) =>
      share(value),
    ),
    share(each['F1 at its own best threshold']),
  ]),
)

const calibration = table(
  ['score', 'shifts on TIAGE dev', 'part of its gaps', 'shifts in task dialogues', 'part of their gaps'],
  shifts.calibrationTable.map((each) => [
    each.score,
    ...[each.TIAGE, each['of its gaps'], each.tasks, each['of their gaps']].map((value) => share(value ?? Number.NaN)),
  ]),
)

const cascade = table(
  ['held out', 'lines asked about', 'decided as if all were asked', 'F1', 'Pk'],
  shifts.cascadeTable.map((each) => [
    each.on,
    ...[each['lines asked about'], each.agree, each.F1, each.Pk].map((value) => share(value)),
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

const settings = ['shiftScore'] as const
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
  { file, name: 'everywhere', lines: withStaleNote(everywhere, shifts) },
  { file, name: 'boundaries', lines: withStaleNote(boundaries, shifts) },
  { file, name: 'calibration', lines: withStaleNote(calibration, shifts) },
  { file, name: 'cascade', lines: withStaleNote(cascade, shifts) },
  { file, name: 'box sizes', lines: withStaleNote(boxSizes, shifts) },
  { file, name: 'parameters', lines: withStaleNote(variants, shifts) },
]
