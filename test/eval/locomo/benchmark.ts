/** LoCoMo as a benchmark: a file of conversations, each in a space of its own. */
import { spaceKey } from '@loomlog/schemas/ids'
import { baselineRankings, textsOf } from '../evidence/baselines.ts'
import type { Benchmark } from '../evidence/benchmark.ts'
import { linearFeatures } from '../evidence/linear.ts'
import { ingest } from '../evidence/memory.ts'
import { readDataset } from './dataset.ts'

const name = 'locomo'

export function spaceOf(sample: string): string {
  return spaceKey('default', `${name}-${sample}`)
}

export const locomo: Benchmark = {
  name,
  groups: ['1', '2', '3', '4', '5', '1-4'],
  read: readDataset,
  async ingest(_dataset, path, dir) {
    console.log(await ingest(path, 'locomo', name, dir))
  },
  spaceOf,
  baselinesOf(sample) {
    const texts = textsOf(sample)
    return {
      items: texts.items,
      rankings: (question, cosines) => baselineRankings(texts, question, cosines),
      linear: (question, cosines) => linearFeatures(texts, question, cosines),
    }
  },
}
