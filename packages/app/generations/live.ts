/** The live generation as readers need it: its topics, and its views with the embedder that made them. */
import { LoomlogError } from '@loomlog/errors'
import { findGeneration } from '@loomlog/generations/generation-names'
import type { Generations } from '@loomlog/generations/generations'
import { liveGeneration } from '@loomlog/generations/pointers'
import { type ServingGeneration, servingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import { GenerationReader, type GenerationRequest, type ReadableGeneration } from '@loomlog/host/generation-reader'
import type { Host } from '@loomlog/host/open'

/** The live generation of a tenant (null: of everyone); null: there is none. */
export function liveServing(
  host: Pick<Host, 'topics'>,
  known: Generations,
  tenant: string | null,
): ServingGeneration | null {
  const live = known.generations.get(liveGeneration(known, tenant)?.generation ?? '')
  return live ? servingGeneration(live, host.topics) : null
}

/** For commands that show derived memory. @throws LoomlogError `not-found`; `generation-refused` where it is gone */
export async function servingOf(
  host: Host,
  chosen: { generation?: string; tenant?: string },
): Promise<ServingGeneration> {
  const known = await readGenerations(host.log, host.codec)
  if (chosen.generation !== undefined) {
    const generation = findGeneration(known, chosen.generation, chosen.tenant ?? null)
    const { id, status } = generation
    if (status !== 'removing' && status !== 'removed') return servingGeneration(generation, host.topics)
    throw new LoomlogError('generation-refused', `${id} is ${status}: its topics are gone`)
  }
  const live = liveServing(host, known, chosen.tenant ?? null)
  if (live === null)
    throw new LoomlogError('not-found', 'no generation is live yet: loomlog init, ingest or up makes the first')
  return live
}

/** Runs one read of the memory: of the tenant's live generation, or of a named one. */
export async function withReading<T>(
  host: Host,
  tenant: string,
  work: (reading: ReadableGeneration) => Promise<T>,
  named: GenerationRequest | null = null,
): Promise<T> {
  const generationReader = new GenerationReader(host, { current: await readGenerations(host.log, host.codec) })
  try {
    return await work(await generationReader.open(tenant, named))
  } finally {
    await generationReader.close()
  }
}
