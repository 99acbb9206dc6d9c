/**
 * Measures the changes that are recognised in short scenarios, pair by pair and without a memory, by the rules alone and by the learned recogniser:
 * `npm run eval -- changes [--half tuning|spoken|held-out|blind] [--show] [--learn FILE --chats FILE]`. `--show` prints every missed and every false pair; use it with
 * `tuning` and `spoken` only. `--learn` learns the weights from these two and the tuning half of the judged conversations, and
 * from chats in which nothing changes (`anno_train.json` of TIAGE), and writes them to the file.
 */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { changedBy } from '@loomlog/language/change'
import { likelyChanges } from '@loomlog/language/likely-change'
import { learnWeights, type MarkedMessage } from './changes/learn-weights.ts'
import { chats, markedConversations, markedScenarios } from './changes/marked-messages.ts'
import { halves } from './changes/scenarios.ts'

const { values } = parseArgs({
  options: {
    half: { type: 'string', default: 'tuning' },
    show: { type: 'boolean', default: false },
    learn: { type: 'string' },
    chats: { type: 'string' },
  },
})
const half = halves.find((each) => each === values.half)
if (!half) throw new LoomlogError('input-invalid', `--half is ${values.half}: expected one of ${halves.join(', ')}`)

if (values.learn) {
  if (!values.chats) throw new LoomlogError('input-invalid', '--learn needs --chats: the chats of TIAGE')
  const marked = [...markedScenarios('tuning'), ...markedScenarios('spoken'), ...markedConversations()]
  const weights = learnWeights([...marked, ...chats(values.chats)])
  await writeFile(values.learn, `${JSON.stringify(weights, null, 2)}\n`)
}

type Pair = readonly [earlier: MarkedMessage, later: MarkedMessage]

const scenarios = markedScenarios(half)
print('rules', (messages) =>
  messages.flatMap((later, at) => changedBy(later, messages.slice(0, at)).map((earlier): Pair => [earlier, later])),
)
for (const certainties of [['sure'], ['sure', 'likely']]) {
  print(`learned, ${certainties.join(' or ')}`, (messages) =>
    likelyChanges(messages, new Set(messages))
      .filter(({ certainty }) => certainties.includes(certainty))
      .map(({ earlier, later }): Pair => [earlier, later]),
  )
}

/** A change counts as recognised if at least one of the statements that it changes is found. */
function print(name: string, find: (messages: readonly MarkedMessage[]) => readonly Pair[]): void {
  const found = scenarios.map(find)
  const pairs = found.flat()
  const right = pairs.filter(([earlier, later]) => later.changed.has(earlier.place))
  const wrong = pairs.filter((pair) => !right.includes(pair))
  const changes = scenarios.flat().filter(({ changed }) => changed.size > 0)
  const recognised = new Set(right.map(([, later]) => later))
  const alike = scenarios.flat().filter((message) => message.alike.size > 0)
  const mistaken = new Set(wrong.filter(([earlier, later]) => later.alike.has(earlier.place)).map(([, later]) => later))
  console.log(
    `${half}, ${name}: ${recognised.size} of ${changes.length} changes recognised; ${wrong.length} of ${pairs.length} found pairs are false; ` +
      `${mistaken.size} of ${alike.length} look-alikes taken for changes`,
  )
  if (!values.show) return
  for (const message of changes.filter((each) => !recognised.has(each))) console.log(`  missed: ${message.text}`)
  for (const [earlier, later] of wrong) console.log(`  FALSE: ${earlier.text} -> ${later.text}`)
}
