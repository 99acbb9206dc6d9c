/** BEAM as a benchmark: a folder of conversations of a person with an assistant, each in a space of its own. */
import { spaceKey } from '@loomlog/schemas/ids'
import type { Benchmark } from '../evidence/benchmark.ts'
import { ingestLines } from '../evidence/memory.ts'
import { messageBaselines } from '../evidence/message-baselines.ts'
import { abilities, jsonLinesOf, readBeam } from './dataset.ts'

const name = 'beam'

export const beam: Benchmark = {
  name,
  groups: [...abilities.filter((ability) => ability !== 'abstention'), 'all'],
  read: readBeam,
  async ingest({ samples }, _path, dir) {
    for (const sample of samples) console.log(await ingestLines(jsonLinesOf(sample), `${name}-${sample.id}`, dir))
  },
  spaceOf: (sample) => spaceKey('default', `${name}-${sample}`),
  baselinesOf: messageBaselines,
}
