/** The consumer groups that a live memory needs: of the stages and views of live generations, and of the feed. */
import type { Generations } from '@loomlog/generations/generations'
import { liveGenerations } from '@loomlog/generations/pointers'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { groupOf } from '@loomlog/runtime/run'
import { viewId } from '@loomlog/views/catalogue'
import { viewSources } from './generation-reader.ts'
import type { Host } from './open.ts'

/** Groups of the feed and its webhooks, the same for every live generation. */
const groupsOfTheFeed = ['publisher', 'webhooks']

export function liveGroups(known: Generations, host: Pick<Host, 'tables' | 'topics'>): ReadonlySet<string> {
  const groups = [...liveGenerations(known)].flatMap((id) => {
    const generation = known.generations.get(id)
    if (generation === undefined) return []
    const serving = servingGeneration(generation, host.topics)
    const views = [...viewSources(serving, host).values()].map(
      (source) => `materializer.${viewId(source, serving.viewEmbedder)}`,
    )
    return [...serving.stages.map(({ stage, derivation }) => groupOf(stage, derivation)), ...views]
  })
  return new Set([...groups, ...groupsOfTheFeed])
}
