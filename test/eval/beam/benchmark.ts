/** BEAM as a benchmark: a folder of conversations of a person with an assistant, each in a space of its own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spaceKey } from '@loomlog/schemas/ids'
import type { Benchmark } from '../evidence/benchmark.ts'
import { ingest } from '../evidence/memory.ts'
import { messageBaselines } from '../evidence/message-baselines.ts'
import { abilities, jsonLinesOf, readBeam } from './dataset.ts'

const name = 'beam'

export const beam: Benchmark = {
  name,
  groups: [...abilities.filter((ability) => ability !== 'abstention'), 'all'],
  read: readBeam,
  async ingest({ samples }, _path, dir) {
    const lines = await mkdtemp(join(tmpdir(), 'loomlog-beam-'))
    try {
      for (const sample of samples) {
        const file = join(lines, `${sample.id}.jsonl`)
        await writeFile(file, jsonLinesOf(sample))
        console.log(await ingest(file, 'jsonl', `${name}-${sample.id}`, dir))
      }
    } finally {
      await rm(lines, { recursive: true, force: true })
    }
  },
  spaceOf: (sample) => spaceKey('default', `${name}-${sample}`),
  baselinesOf: messageBaselines,
}
