/** The tables of packages/recall/README.md. */
import ablation from '../../../docs/figures/ablation.json' with { type: 'json' }
import beam from '../../../docs/figures/beam.json' with { type: 'json' }
import corpus from '../../../docs/figures/corpus.json' with { type: 'json' }
import growth from '../../../docs/figures/growth.json' with { type: 'json' }
import locomo from '../../../docs/figures/locomo.json' with { type: 'json' }
import { type Block, share, table, time } from '../blocks.ts'
import { withStaleNote } from '../provenance.ts'

const file = 'packages/recall/README.md'
const budgets = ['250', '500', '1000', '2000', '4000'] as const
const { methods, spread } = locomo
const linear = 'linear score, left-out weights'

interface Group {
  readonly recallAtBudget: { readonly [budget in (typeof budgets)[number]]: number }
  readonly recallAt10: number
}

function group<G extends string>(
  {
    recallAtBudget,
    recallAtK,
  }: {
    readonly recallAtBudget: { readonly [group in G]: Group['recallAtBudget'] }
    readonly recallAtK: { readonly [group in G]: { readonly 10: number } }
  },
  name: G,
): Group {
  return { recallAtBudget: recallAtBudget[name], recallAt10: recallAtK[name][10] }
}

function row(name: string, { recallAtBudget, recallAt10 }: Group): readonly string[] {
  return [name, ...budgets.map((budget) => share(recallAtBudget[budget])), share(recallAt10)]
}

const overall = table(
  ['', ...budgets, 'R@10'],
  [
    row('BM25 by turn, one turn either side', group(methods['bm25 by turn, one turn either side'], '1-4')),
    row('weighted rank fusion', group(methods['weighted rank fusion'], '1-4')),
    row(linear, group(methods[linear], '1-4')),
    row('**loomlog**', group(methods.loomlog, '1-4')),
    [
      'lowest and highest of the five conversations',
      ...budgets.map((budget) => `${share(spread[budget].lowest)}–${share(spread[budget].highest)}`),
      '',
    ],
    ['over the linear score, 95 %', ...budgets.map((budget) => interval(spread[budget].overLinear)), ''],
    row('linear score, multi-hop (category 1)', group(methods[linear], '1')),
    row('**loomlog**, multi-hop', group(methods.loomlog, '1')),
    row('temporal (2)', group(methods.loomlog, '2')),
    row('inference (3)', group(methods.loomlog, '3')),
    row('single-hop (4)', group(methods.loomlog, '4')),
  ],
)

interface Interval {
  readonly from: number
  readonly to: number
}

function interval({ from, to }: Interval): string {
  return `${signed(from)} to ${signed(to)}`
}

function signed(value: number): string {
  return share(value).replace('-', '−')
}

const beamMethods = {
  'bm25 by message': 'BM25 by message',
  'bm25 by chunk': 'BM25 by chunk of 120 tokens',
  'dense by message': 'dense by message',
  "bm25, people's messages first": "BM25, people's messages first",
  loomlog: '**loomlog**',
} as const

const agents = table(
  ['', ...budgets, 'R@10'],
  (Object.keys(beamMethods) as (keyof typeof beamMethods)[]).map((name) =>
    row(beamMethods[name], group(beam.methods[name], 'all')),
  ),
)

const fused = "bm25 and dense fused, people's messages first"

const judged = table(
  ['', ...budgets, 'R@10'],
  [
    row('BM25 by message', group(corpus.methods['bm25 by message'], 'all')),
    row('dense by message', group(corpus.methods['dense by message'], 'all')),
    row("BM25 and dense fused, people's messages first", group(corpus.methods[fused], 'all')),
    row('**loomlog**', group(corpus.methods.loomlog, 'all')),
  ],
)

const judgedKinds = table(
  ['', 'within 250 tokens', 'fused', 'within 1,000', 'fused'],
  Object.entries(corpus.methods.loomlog.recallAtBudget)
    .filter(([kind]) => kind !== 'all')
    .map(([kind, within]) => {
      const other = corpus.methods[fused].recallAtBudget[kind as keyof typeof corpus.methods.loomlog.recallAtBudget]
      return [kind, share(within[250]), share(other[250]), share(within[1000]), share(other[1000])]
    }),
)

const abilities = table(
  ['', 'within 1,000 tokens', 'within 2,000'],
  Object.entries(beam.methods.loomlog.recallAtBudget)
    .filter(([ability]) => ability !== 'all')
    .map(([ability, within]) => [ability.replaceAll('_', ' '), share(within[1000]), share(within[2000])]),
)

interface Variant {
  readonly all: {
    readonly recallAtBudget: { readonly 250: number; readonly 1000: number }
    readonly recallAt10: number
    readonly lost?: { readonly 250: Interval; readonly 1000: Interval }
  }
  readonly multiHop: {
    readonly recallAtBudget: { readonly 250: number; readonly 1000: number }
    readonly lost?: { readonly 1000: Interval }
  }
}

const labels: { readonly [name in keyof typeof ablation.ablation]: string } = {
  all: 'nothing: all of it',
  'without packing': 'packing: whole utterances, best first',
  'without meaning': 'meaning',
  'without neighbours': 'neighbours',
  'without cues for the answer': 'cues for the answer: a time, a number…',
  'without names of speakers': 'names of speakers',
  'without facts, events and traces': 'facts, boxes, events',
  'without facts': 'facts',
  'without events and traces': 'events and traces',
  'without boxes': 'boxes',
  'without the form of utterances': 'the form of an utterance: its length, names, quotations…',
  'without the question as a statement': 'the question as a statement',
  'without the conversation': 'the conversation as a whole',
  'words alone': 'all but the words of the utterance itself',
}

const parts = table(
  ['without', '250', '1000', 'R@10', 'lost at 250', 'lost at 1000', 'multi-hop at 250', 'at 1000', 'lost at 1000'],
  (Object.entries(ablation.ablation) as [keyof typeof labels, Variant][]).map(([name, { all, multiHop }]) => [
    labels[name],
    share(all.recallAtBudget[250]),
    share(all.recallAtBudget[1000]),
    share(all.recallAt10),
    all.lost === undefined ? '' : interval(all.lost[250]),
    all.lost === undefined ? '' : interval(all.lost[1000]),
    share(multiHop.recallAtBudget[250]),
    share(multiHop.recallAtBudget[1000]),
    multiHop.lost === undefined ? '' : interval(multiHop.lost[1000]),
  ]),
)

const sessions = table(
  ['sessions', 'questions', 'R@10', 'within 250 tokens', 'within 1,000', 'p50', 'p99'],
  growth.growth.map((each) => [
    String(each.sessions),
    String(each.questions),
    share(each.recallAt10),
    share(each.recallWithin[250]),
    share(each.recallWithin[1000]),
    time(each.p50Ms),
    time(each.p99Ms),
  ]),
)

export const recallBlocks: readonly Block[] = [
  { file, name: 'locomo', lines: withStaleNote(overall, locomo) },
  { file, name: 'corpus', lines: withStaleNote(judged, corpus) },
  { file, name: 'corpus by kind', lines: withStaleNote(judgedKinds, corpus) },
  { file, name: 'beam', lines: withStaleNote(agents, beam) },
  { file, name: 'beam by ability', lines: withStaleNote(abilities, beam) },
  { file, name: 'ablation', lines: withStaleNote(parts, ablation) },
  { file, name: 'growth', lines: withStaleNote(sessions, growth) },
]
