/**
 * Measures the changes that the rules recognise in short scenarios, pair by pair, without a memory: `npm run eval -- changes [--half
 * tuning|spoken|held-out|blind] [--show]`. `--show` prints every missed and every false pair; use it with `tuning` and `spoken` only.
 */
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { messagesChangedBy, parseMessage } from '@loomlog/language/change'
import { halves, readScenarios, type Scenario } from './changes/scenarios.ts'

const { values } = parseArgs({
  options: { half: { type: 'string', default: 'tuning' }, show: { type: 'boolean', default: false } },
})
const half = halves.find((each) => each === values.half)
if (!half) throw new LoomlogError('input-invalid', `--half is ${values.half}: expected one of ${halves.join(', ')}`)

const results = readScenarios(half).map(measure)
const sum = (count: (result: (typeof results)[number]) => number) => results.reduce((all, each) => all + count(each), 0)
console.log(
  `${results.length} scenarios: ${sum(({ recognised }) => recognised)} of ${sum(({ marked }) => marked)} changes recognised; ` +
    `${sum(({ wrong }) => wrong)} of ${sum(({ found }) => found)} found pairs are false; ` +
    `${sum(({ mistaken }) => mistaken)} of ${sum(({ alike }) => alike)} look-alikes taken for changes`,
)

/** A change counts as recognised if the rules find at least one of the statements that it changes. */
function measure({ name, lines }: Scenario) {
  const read = lines.map((line) => ({ ...line, read: parseMessage(line.text) }))
  const alike = lines.filter((line) => line.alike.length > 0).length
  let [recognised, marked, wrong, found, mistaken] = [0, 0, 0, 0, 0]
  for (const [place, later] of read.entries()) {
    const changed = new Set(messagesChangedBy(later, read.slice(0, place)).map((message) => read.indexOf(message)))
    const isFound = later.was.some((was) => changed.has(was))
    if (later.was.length > 0) marked += 1
    if (isFound) recognised += 1
    const falsely = [...changed].filter((was) => !later.was.includes(was))
    found += changed.size
    wrong += falsely.length
    if (later.alike.some((was) => changed.has(was))) mistaken += 1
    if (!values.show) continue
    if (later.was.length > 0 && !isFound)
      console.log(`missed (${name}): ${later.was.map((was) => lines[was]?.text).join(' | ')} -> ${later.text}`)
    for (const was of falsely) console.log(`FALSE (${name}): ${lines[was]?.text} -> ${later.text}`)
  }
  return { recognised, marked, wrong, found, alike, mistaken }
}
