/**
 * Evidence recall on conversations in LoCoMo's format: `npm run eval -- locomo --data FILE [--json FILE] [--dir DIR]`.
 * The file is ingested into a memory in DIR (without it, in a temporary folder), and every question goes to recall with
 * its defaults and to the baselines. DIR caches the candidates of every question, so that the next run takes a minute.
 *
 * `--learn FILE` learns recall's weights from the data and writes them; each conversation is then measured with weights
 * learned without it. `--unlearned` does the same without writing, for data that the shipped weights were learned from.
 * With either, `--beside DIR` names a folder in BEAM's format to learn from, too. `--uncached` also measures recall
 * that searches the tables instead of the spaces in memory. `--ablate` also measures recall without each of its parts.
 * `--questions FILE` writes the scores of each question.
 *
 * `--answers COUNT` puts COUNT questions, evenly spread, to the model of LOOMLOG_MODEL: with recall's evidence within
 * 1,000 tokens, and with the whole conversation. Without it, only stages that are configured with a model call one.
 */
import { LoomlogError } from '@loomlog/errors'
import { recall } from '@loomlog/recall/recall'
import { beam } from './beam/benchmark.ts'
import { ablate } from './evidence/ablate.ts'
import { fullContext, type GradedAnswer, gradeAnswer, gradesOf } from './evidence/answers.ts'
import { evaluate } from './evidence/command.ts'
import type { Dataset } from './evidence/dataset.ts'
import { openMemory } from './evidence/memory.ts'
import { loomlogMethod } from './evidence/table.ts'
import { locomo } from './locomo/benchmark.ts'

/** Budget of the evidence that a model answers from. */
const answerTokens = 1_000

await evaluate(locomo, {
  beside: beam,
  async figures({ dataset, questions }, _weightsOf, values) {
    if (values.answers) {
      console.log(`\n${gradesOf(await answers(values.answers, dataset, values.dir), locomo.groups)}`)
    }
    return values.ablate ? { ablation: ablate(questions) } : {}
  },
})

async function answers(
  text: string,
  dataset: Dataset,
  dir: string,
): Promise<ReadonlyMap<string, readonly GradedAnswer[]>> {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) {
    throw new LoomlogError('input-invalid', `--answers is ${text}: expected a whole number from 1`)
  }
  const memory = await openMemory(dir)
  try {
    const { model } = memory
    if (model === null) throw new LoomlogError('config-invalid', '--answers needs a model: set LOOMLOG_MODEL')
    const questions = dataset.samples.flatMap(({ id, turns, questions }) =>
      questions.map((question) => ({ question, turns, space: locomo.spaceOf(id) })),
    )
    const interval = Math.max(1, Math.floor(questions.length / count))
    const fromEvidence: GradedAnswer[] = []
    const fromAll: GradedAnswer[] = []
    for (const { question, turns, space } of questions.filter((_, at) => at % interval === 0).slice(0, count)) {
      const { items } = await recall({ space, query: question.text, budgetTokens: answerTokens }, memory)
      fromEvidence.push(await gradeAnswer(question, items, model))
      fromAll.push(await gradeAnswer(question, fullContext(turns), model))
    }
    return new Map([
      [loomlogMethod, fromEvidence],
      ['full context', fromAll],
    ])
  } finally {
    await memory.close()
  }
}
