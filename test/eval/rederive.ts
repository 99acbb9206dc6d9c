/**
 * The cost of re-derivations: `npm run eval -- rederive --data FILE [--conversations N] [--part NAME …] [--growth N …]
 * [--json FILE]`, on LoCoMo with a fake endpoint, with a latency of 200 ms in timed parts.
 * - `replay`: an unchanged recipe: no ask and the same events; its time beside the first derivation and a floor.
 * - `moved`: a prompt that moves a tenth of the boundaries, and the share of asks that is paid again.
 * - `spread`, only on request: `moved` for eight other prompts, each with other boundaries.
 * - `unmoved`: changes of a recipe that move no boundary, and should cost only their own asks.
 * - `readers`: recalls and writes while a generation is derived, promoted and rolled back.
 * - `corrections`: 50 people are corrected before three re-derivations.
 *
 * `--growth 1000 --growth 10000` measures only the speed of a replay at these numbers of utterances. The exit code is 1
 * if the part `replay` calls the model or gives other events, or if a correction is lost.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { writeResult } from '../figures/result.ts'
import { measureMoved, measureSpread, measureUnmoved } from './rederive/changed-recipes.ts'
import { isKept, measureCorrections } from './rederive/corrections.ts'
import { measureGrowth } from './rederive/growth.ts'
import { measureReaders } from './rederive/readers.ts'
import { measureReplay } from './rederive/replay.ts'
import { derive, openWorld } from './rederive/world.ts'

const plantedCount = 50
const parts = {
  moved: measureMoved,
  unmoved: measureUnmoved,
  readers: measureReaders,
  corrections: () => measureCorrections(plantedCount),
}
/** Parts that take long, and run only on request. */
const furtherParts = { spread: measureSpread }

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    json: { type: 'string' },
    conversations: { type: 'string', default: '5' },
    growth: { type: 'string', multiple: true, default: [] },
    part: { type: 'string', multiple: true, default: ['replay', ...Object.keys(parts)] },
  },
})
if (!values.data) throw new LoomlogError('input-invalid', '--data is missing: expected the path of a LoCoMo file')
const allParts = { ...parts, ...furtherParts }
const unknown = values.part.find((name) => name !== 'replay' && !(name in allParts))
if (unknown !== undefined) {
  const expected = ['replay', ...Object.keys(allParts)].join(' or ')
  throw new LoomlogError('input-invalid', `--part is ${unknown}: expected ${expected}`)
}

interface Measurement {
  readonly replay?: Awaited<ReturnType<typeof measureReplay>>
  readonly corrections?: Awaited<ReturnType<typeof measureCorrections>>
}

const result: Record<string, unknown> = {}
try {
  if (values.growth.length > 0) report('growth', await measureGrowth(values.data, values.growth.map(Number)))
  else await measureAll(values.data)
} finally {
  await writeResult(values.json, 'eval -- rederive', result)
}

/** Every part except `corrections` starts from a copy of the first derivation. */
async function measureAll(data: string): Promise<void> {
  const world = await openWorld(data, Number(values.conversations))
  try {
    const first = join(world.dir, 'first')
    if (values.part.includes('replay')) report('replay', await measureReplay(world, first))
    else if (values.part.some((name) => name !== 'corrections')) {
      const parts = values.part.includes('readers') ? (['stages', 'views'] as const) : (['stages'] as const)
      await derive(world, first, { append: world.file, parts })
    }
    for (const [name, measure] of Object.entries(allParts)) {
      if (values.part.includes(name)) report(name, await measure(world, first))
    }
    const { replay: replayed, corrections: planted } = result as Measurement
    if (planted !== undefined) result['planted'] = plantedCount
    const isSame = replayed === undefined || (replayed.asks === 0 && replayed.sameEvents)
    process.exitCode = isSame && isKept(planted ?? {}) ? 0 : 1
  } finally {
    await world.close()
  }
}

function report(name: string, measured: unknown): void {
  result[name] = measured
  console.log(name, JSON.stringify(measured, null, 2))
}
