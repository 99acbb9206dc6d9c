/**
 * Measures the embedder that comes with loomlog, by itself: the evidence among the nearest turns of LoCoMo's questions
 * (categories 1 to 4) and BEAM's, the area under the curve of TIAGE's shifts by the similarity of adjacent messages,
 * and the time.
 *
 *   npm run eval -- embedders --data locomo5.json --beam DIR --tiage DIR [--json FILE]
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Embedder } from '@loomlog/models/embedder'
import { wordEmbedder } from '@loomlog/models/words'
import { writeResult } from '../figures/result.ts'
import { auc, rounded } from './agreement.ts'
import { readBeam } from './beam/dataset.ts'
import { readTiage } from './dialogues.ts'
import type { Question, Sample } from './evidence/dataset.ts'
import { readDataset } from './locomo/dataset.ts'
import { mean } from './mean.ts'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    beam: { type: 'string' },
    tiage: { type: 'string' },
    json: { type: 'string' },
  },
})
if (!values.data || !values.beam || !values.tiage) throw new Error('--data FILE, --beam DIR and --tiage DIR are needed')

const locomo = readDataset(values.data).samples
const beam = readBeam(values.beam).samples
const dialogues = readTiage(join(values.tiage, 'anno_dev.json'))
const texts = [
  ...[...locomo, ...beam].flatMap(({ turns, questions }) => [
    ...turns.map(shown),
    ...questions.map(({ text }) => text),
  ]),
  ...dialogues.flatMap((dialogue) => dialogue.texts),
]

const table = [await measureEmbedder(wordEmbedder())]
console.table(table)
await writeResult(values.json, 'eval -- embedders', { table })

async function measureEmbedder(embedder: Embedder) {
  await embedder.embed(['loads the weights'])
  const distinct = [...new Set(texts)]
  const started = performance.now()
  const vectors = await embedder.embed(distinct, { shape: 'batched' })
  const msPerText = (performance.now() - started) / distinct.length
  const byText = new Map(distinct.map((text, at) => [text, vectors[at] ?? new Float32Array()]))
  const nearness = (a: string, b: string) => dot(byText.get(a), byText.get(b))
  const answered = (question: Question) => question.category !== '5'
  return {
    embedder: embedder.vectorSpace.name,
    'LoCoMo R@10': recallAt10(locomo, nearness, answered),
    'BEAM R@10': recallAt10(beam, nearness, () => true),
    'TIAGE AUC': rounded(auc(adjacent(), ({ before, next }) => -nearness(before, next))),
    'ms a text': rounded(msPerText),
  }
}

/** The share of a question's evidence among the ten nearest turns, on average. */
function recallAt10(
  samples: readonly Sample[],
  nearness: (a: string, b: string) => number,
  isMeasured: (question: Question) => boolean,
): number {
  const shares = samples.flatMap(({ turns, questions }) =>
    questions
      .filter((question) => question.gold.length > 0 && isMeasured(question))
      .map(({ text, gold }) => {
        const scored = turns.map((turn) => ({ id: turn.id, score: nearness(shown(turn), text) }))
        const nearest = new Set(
          scored
            .sort((a, b) => b.score - a.score)
            .slice(0, 10)
            .map(({ id }) => id),
        )
        return gold.filter((id) => nearest.has(id)).length / gold.length
      }),
  )
  return rounded(mean(shares))
}

function adjacent(): readonly { readonly before: string; readonly next: string; readonly isShift: boolean }[] {
  return dialogues.flatMap(({ texts: lines, shifts }) =>
    lines.slice(1).map((next, at) => ({ before: lines[at] ?? '', next, isShift: shifts[at + 1] ?? false })),
  )
}

function shown({ speaker, words }: Sample['turns'][number]): string {
  return `${speaker}: ${words}`
}

function dot(a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()): number {
  return a.reduce((sum, component, at) => sum + component * (b[at] ?? 0), 0)
}
