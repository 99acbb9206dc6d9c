/**
 * Many spaces and a model with a limit on calls at once: the limit alone would allow `maxConcurrent / modelMs` answers a second, and
 * what loomlog reaches of that is told. With one space slow besides, so much slower that it cannot be done before the others are, and
 * with more conversations, all said before anything else, than there may be calls or records in flight, so that it could take them all.
 */
import { askAll, type Cluster, said, world } from './world.ts'

export interface ManySpacesOptions {
  readonly spaces: number
  readonly utterancesOfASpace: number
  readonly modelMs: number
  readonly maxConcurrent: number
  /** Null: no space is slow. */
  readonly slow: { readonly modelMs: number; readonly conversations: number } | null
}

export interface ManySpaces extends ManySpacesOptions {
  /** Of the spaces that are not slow. */
  readonly ms: number
  /** What the limit alone takes for as many asks, where a slow space holds one of the calls. */
  readonly allowedMs: number
  readonly shareOfAllowed: number
  /** Of the spaces that are not slow. */
  readonly asks: number
  /** Of the slow space, by the time the others were done. */
  readonly slowAsks: number
  readonly slowOutputs: number
  readonly errors: number
}

const slowSpace = 'the-slow-one'

export async function manySpaces(cluster: Cluster, options: ManySpacesOptions): Promise<ManySpaces> {
  const { spaces, utterancesOfASpace, modelMs, maxConcurrent, slow } = options
  const made = await world(cluster)
  const done = Promise.withResolvers<number>()
  const wanted = spaces * utterancesOfASpace
  let outputs = 0
  let slowOutputs = 0
  let slowAsks = 0
  const slowOnes = Array.from({ length: slow?.conversations ?? 0 }, (_, at) => said(slowSpace, `c${at}`, at))
  // One after the other in each space, as they would be said.
  const all = Array.from({ length: wanted }, (_, at) => said(`space-${at % spaces}`, 'c', Math.floor(at / spaces)))
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
