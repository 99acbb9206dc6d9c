/**
 * loomlog under load on a real Kafka: `npm run bench -- load [--json FILE] [--only NAME]`. Each part measures one
 * behaviour. A short version of each part is a test (test/kafka/load.test.ts).
 */
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { skipReason } from '@loomlog/kafka-local/testing-cluster'
import { writeResult } from '../../figures/result.ts'
import { measureHotSpace } from './hot-space.ts'
import { measureManySpaces } from './many-spaces.ts'
import { measureRestore } from './restore.ts'
import { measureSlowModel } from './slow-model.ts'
import { type Cluster, startCluster } from './world.ts'

const busy = { spaces: 200, utterancesOfASpace: 12, modelMs: 300, maxConcurrent: 32 }

const parts: { readonly [name: string]: (cluster: Cluster) => Promise<object> } = {
  'slow-model': (cluster) => measureSlowModel(cluster, { modelMs: 60_000, sessionMs: 10_000 }),
  'many-spaces': (cluster) => measureManySpaces(cluster, { ...busy, slow: null }),
  // One conversation, so that all asks are in one lane.
  'one-space': (cluster) => measureManySpaces(cluster, { ...busy, spaces: 1, utterancesOfASpace: 10_000, slow: null }),
  'one-slow-space': (cluster) =>
    measureManySpaces(cluster, { ...busy, slow: { modelMs: 60_000, conversations: 2_000 } }),
  'hot-space': (cluster) =>
    measureHotSpace(cluster, {
      utterancesPerSecond: 50,
      seconds: 60,
      conversations: 100,
      modelMs: 300,
      maxConcurrent: 32,
    }),
  restore: (cluster) => measureRestore(cluster, 100_000),
}

export async function benchLoad(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'string' }, only: { type: 'string' } } })
  const { only } = values
  if (only !== undefined && !(only in parts))
    throw new LoomlogError('input-invalid', `--only is ${only}: expected one of ${Object.keys(parts).join(', ')}`)
  const skipped = await skipReason()
  if (skipped !== null) throw new LoomlogError('input-invalid', `there is no Kafka to load: it ${skipped}`)
  const cluster = await startCluster()
  const results: { [name: string]: object } = {}
  try {
    for (const [name, part] of Object.entries(parts)) {
      if (only !== undefined && only !== name) continue
      const result = await part(cluster)
      results[name] = result
      console.log(`${name}\n${JSON.stringify(result, roundFigure, 2)}`)
    }
  } finally {
    await cluster.stop()
  }
  await writeResult(values.json, 'bench -- load', results)
}

function roundFigure(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value
}
