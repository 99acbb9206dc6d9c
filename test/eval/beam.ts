/**
 * Evidence recall on conversations in BEAM's form: `npm run eval -- beam --data DIR [--json FILE] [--dir DIR]`, with `DIR/N/chat.json` and
 * `DIR/N/probing_questions.json`. The result is by ability and in all. Beside it stands the order of changed values: the share of questions
 * on an update whose new value comes before the old one. Options as in locomo.ts, without `--ablate` and `--answers`; `--beside` names a LoCoMo file.
 */
import { beam } from './beam/benchmark.ts'
import { updateOrder, updateOrderText } from './beam/update-order.ts'
import { evaluate } from './evidence/command.ts'
import { locomo } from './locomo/benchmark.ts'

await evaluate(beam, {
  beside: locomo,
  async figures({ questions }) {
    const updates = updateOrder(questions)
    console.log(updateOrderText(updates))
    return { updates }
  },
})
