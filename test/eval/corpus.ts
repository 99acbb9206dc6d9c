/**
 * Evidence recall on the corpus: `npm run eval -- corpus --data test/corpus/judge [--json FILE] [--dir DIR]`. Figures
 * are by kind of question and over all, beside the order of changed values. `--data test/corpus/learn --learn
 * packages/recall/ranking/weights.json` learns the weights that are shipped, from these conversations alone. It also
 * says how much of a budget is used, and how much gold it holds. Other options as in locomo.ts. `corpus marks` and the
 * other measures of `corpus/` count what the memory concludes.
 */
import { corpus } from './corpus/benchmark.ts'
import { factsMeasure } from './corpus/facts.ts'
import { instructionsMeasure } from './corpus/instructions.ts'
import { marksMeasure } from './corpus/marks.ts'
import { measureCorpus } from './corpus/measure.ts'
import { stateMeasure } from './corpus/state.ts'
import { budgetUse, budgetUseText } from './evidence/budget-use.ts'
import { evaluate } from './evidence/command.ts'
import { updateOrder, updateOrderText } from './evidence/update-order.ts'
import { locomo } from './locomo/benchmark.ts'

const measures = new Map<string, () => Promise<unknown>>([
  ['facts', () => measureCorpus(factsMeasure)],
  ['instructions', () => measureCorpus(instructionsMeasure)],
  ['marks', () => measureCorpus(marksMeasure)],
  ['pairs', () => import('../learn/update-pairs.ts')],
  ['state', () => measureCorpus(stateMeasure)],
])
const [name = ''] = process.argv.slice(2)
const measure = measures.get(name)
if (measure === undefined) await evidence()
else {
  process.argv.splice(2, 1)
  await measure()
}

async function evidence(): Promise<void> {
  await evaluate(corpus, {
    beside: locomo,
    async figures({ questions }, weightsOf) {
      const use = budgetUse(questions, weightsOf)
      console.log(budgetUseText(use))
      const updates = updateOrder(questions)
      console.log(updateOrderText(updates))
      return { updates, budgetUse: use }
    },
  })
}
