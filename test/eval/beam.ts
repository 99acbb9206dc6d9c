/**
 * Evidence recall on conversations in BEAM's format: `npm run eval -- beam --data DIR [--json FILE] [--dir DIR]`, with
 * `DIR/N/chat.json` and `DIR/N/probing_questions.json`. Figures are by ability and over all. They include the order of
 * changed values: of the updates whose old and new value are both among the results, the number whose new value comes
 * first. Options as in locomo.ts, without `--ablate` and `--answers`; `--beside` names a LoCoMo file.
 */
import { beam } from './beam/benchmark.ts'
import { evaluate } from './evidence/command.ts'
import { updateOrder, updateOrderText } from './evidence/update-order.ts'
import { locomo } from './locomo/benchmark.ts'

await evaluate(beam, {
  beside: locomo,
  async figures({ questions }) {
    const updates = updateOrder(questions)
    console.log(updateOrderText(updates))
    return { updates }
  },
})
