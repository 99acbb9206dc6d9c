/** The tables of test/eval/answers/README.md. */
import answers from '../../../docs/figures/answers.json' with { type: 'json' }
import { type Block, percent, share, table } from '../blocks.ts'
import { withStaleNote } from '../provenance.ts'

const file = 'test/eval/answers/README.md'
const names = {
  fusion: 'fusion of the messages',
  rules: 'loomlog by rules',
  model: 'loomlog with a model',
  understood: '**loomlog with a model, also for the question**',
} as const
type MemoryName = keyof typeof names
const memories = Object.keys(names) as MemoryName[]
const budgets = ['150', '300', '1000'] as const
type Budget = (typeof budgets)[number]
const kinds = ['current', 'was', 'lookup', 'who', 'preference', 'order', 'count', 'overview', 'never'] as const

const overall = table(
  ['', 'within', 'right', 'wrong', 'not there', 'contradicts itself', 'right beside an unmarked outdated value'],
  memories.flatMap((memory) =>
    budgets.map((budget) => {
      const { all } = answers.answers[memory][budget]
      const of = (count: number) => percent(count / all.questions, 1)
      const { right, wrong, notThere, contradicts, rightOutdated } = all
      return [names[memory], budget, of(right), of(wrong), of(notThere), of(contradicts), of(rightOutdated)]
    }),
  ),
)

const byKind = table(
  ['right', ...kinds],
  [
    ['questions', ...kinds.map((kind) => String(answers.answers.model['300'][kind].questions))],
    ...memories.flatMap((memory) =>
      budgets.map((budget) => [`${names[memory]}, ${budget}`, ...kinds.map(rightOf(memory, budget))]),
    ),
  ],
)

function rightOf(memory: MemoryName, budget: Budget) {
  return (kind: (typeof kinds)[number]) => {
    const { right, questions } = answers.answers[memory][budget][kind]
    return share(right / questions, 2)
  }
}

const ahead = table(
  ['right answers more than', 'within', 'mean', '95 %', 'beyond chance'],
  answers.differences.map(({ memory, against, budget, mean, from, to, isBeyondChance }) => [
    `${names[memory as MemoryName]} than ${names[against as MemoryName]}`,
    String(budget),
    share(mean).replace('-', '−'),
    `${share(from)} to ${share(to)}`.replaceAll('-', '−'),
    isBeyondChance ? 'yes' : 'no',
  ]),
)

const { perUtterance, requests, utterances, endings } = answers.model
const cost = table(
  ['an utterance', 'calls', 'tokens in', 'tokens out', 'tokens'],
  Object.entries(perUtterance).map(([task, { calls, inputTokens, outputTokens, tokens }]) => [
    task,
    share(calls),
    inputTokens.toFixed(1),
    outputTokens.toFixed(1),
    tokens.toFixed(1),
  ]),
)

const { understanding } = answers
const sizes = [
  `${answers.conversations} conversations, ${answers.messages} messages, ${answers.questions} questions; ${requests.calls} calls for ${utterances} utterances. ` +
    `${endings.found} of ${endings.changes} marked changes ended an entry; ${endings.right} of ${endings.endings} endings have a mark. ` +
    `A question that a model understands takes one call, ${understanding.inputTokens} tokens in and ${understanding.outputTokens} out. ` +
    `Two readers of the same context agree on ${percent(answers.agreement.sameVerdict)} of verdicts (kappa ${share(answers.agreement.kappa, 2)}).`,
]

export const answerBlocks: readonly Block[] = [
  { file, name: 'answers', lines: withStaleNote(overall, answers) },
  { file, name: 'answers by kind', lines: byKind },
  { file, name: 'answers ahead', lines: ahead },
  { file, name: 'answers cost', lines: [...cost, '', ...sizes] },
]
