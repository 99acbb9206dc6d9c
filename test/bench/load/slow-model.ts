/** A model that takes several sessions for an answer: there should be no rebalance and no repeated ask. */
import { askAll, type Cluster, openWorld, partitions, utterance } from './world.ts'

export interface SlowModel {
  readonly modelMs: number
  readonly sessionMs: number
  readonly utterances: number
  readonly outputs: number
  /** As many as utterances; more are repeated asks. */
  readonly asks: number
  /** The number of leases: one for each partition; more are rebalances. */
  readonly leases: number
  readonly partitions: number
  readonly errors: number
}

export interface SlowModelOptions {
  readonly modelMs: number
  readonly sessionMs: number
}

const spaces = 4

export async function measureSlowModel(cluster: Cluster, { modelMs, sessionMs }: SlowModelOptions): Promise<SlowModel> {
  const made = await openWorld(cluster)
  const done = Promise.withResolvers<void>()
  let outputs = 0
  const asked = await askAll(made, {
    latencyMs: modelMs,
    maxConcurrent: spaces,
    sessionMs,
    onOutput() {
      outputs += 1
      if (outputs === spaces) done.resolve()
    },
  })
  try {
    await made.append(Array.from({ length: spaces }, (_, at) => utterance(`space-${at}`, 'c', at)))
    await done.promise
    const { leases, errors, endpoint } = asked
    const counts = { asks: endpoint.calls().total, leases: leases.length, errors: errors.length }
    return { modelMs, sessionMs, utterances: spaces, outputs, ...counts, partitions }
  } finally {
    await asked.close()
    await made.close()
  }
}
