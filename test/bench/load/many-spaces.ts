/**
 * Many spaces and a model with an in-flight limit. The limit allows `maxConcurrent / modelMs` answers a millisecond;
 * the result is loomlog's share of that rate. Optionally one space is so slow that it can't finish before the others.
 * Its utterances come first, and it has more conversations than there are calls or records in flight, so it could take
 * all of them.
 */
import { askAll, type Cluster, openWorld, utterance } from './world.ts'

export interface ManySpacesOptions {
  readonly spaces: number
  readonly utterancesOfASpace: number
  readonly modelMs: number
  readonly maxConcurrent: number
  /** Null: no space is slow. */
  readonly slow: { readonly modelMs: number; readonly conversations: number } | null
}

export interface ManySpaces extends ManySpacesOptions {
  /** Without the slow space. */
  readonly ms: number
  /** The time that the limit alone would take for as many asks, if a slow space holds one of the calls. */
  readonly allowedMs: number
  readonly shareOfAllowed: number
  /** Without the slow space. */
  readonly asks: number
  /** Answers of the slow space when the others were done. */
  readonly slowAsks: number
  readonly slowOutputs: number
  readonly errors: number
}

const slowSpace = 'the-slow-one'

export async function measureManySpaces(cluster: Cluster, options: ManySpacesOptions): Promise<ManySpaces> {
  const { spaces, utterancesOfASpace, modelMs, maxConcurrent, slow } = options
  const made = await openWorld(cluster)
  const done = Promise.withResolvers<number>()
  const wanted = spaces * utterancesOfASpace
  let outputs = 0
  let slowOutputs = 0
  let slowAsks = 0
  const slowOnes = Array.from({ length: slow?.conversations ?? 0 }, (_, at) => utterance(slowSpace, `c${at}`, at))
  // The utterances of a space are one conversation; the spaces take turns.
  const all = Array.from({ length: wanted }, (_, at) => utterance(`space-${at % spaces}`, 'c', Math.floor(at / spaces)))
  await made.append([...slowOnes, ...all])
  const asked = await askAll(made, {
    latencyMs(body) {
      if (slow === null || !body.includes(slowSpace)) return modelMs
      slowAsks += 1
      return slow.modelMs
    },
    maxConcurrent,
    sessionMs: 10_000,
    onOutput(space) {
      if (space === slowSpace) slowOutputs += 1
      else outputs += 1
      if (outputs === wanted) done.resolve(performance.now())
    },
  })
  try {
    const startedAt = await firstAsk(asked)
    const ms = (await done.promise) - startedAt
    const allowedMs = (wanted * modelMs) / (maxConcurrent - (slow === null ? 0 : 1))
    const counts = { asks: asked.endpoint.calls().total - slowAsks, slowAsks, slowOutputs, errors: asked.errors.length }
    return { ...options, ms, allowedMs, shareOfAllowed: allowedMs / ms, ...counts }
  } finally {
    await asked.close()
    await made.close()
  }
}

async function firstAsk({ endpoint }: Awaited<ReturnType<typeof askAll>>): Promise<number> {
  while (endpoint.calls().total === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  return performance.now()
}
