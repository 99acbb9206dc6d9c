/**
 * Retires generations, and removes the topics, state and views that only retired ones use. The log records the begin of a removal first and
 * its end last, so a command that is killed on the way resumes from there. Recorded answers stay: deriving the generation again calls no model.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { refusal } from '@loomlog/generations/fold'
import { type DeadView, type Garbage, garbageOf } from '@loomlog/generations/garbage'
import { generationBy } from '@loomlog/generations/generation-names'
import type { Generation, Generations } from '@loomlog/generations/generations'
import { readGenerations } from '@loomlog/generations/store'
import { type Host, viewsUri } from '@loomlog/host/open'
import { crashPoint } from '@loomlog/log/crash-points'
import { groupOf } from '@loomlog/runtime/run'
import { viewId } from '@loomlog/views/catalogue'
import { lanceStore } from '@loomlog/views/lancedb'
import { changeStatus } from './lifecycle.ts'

/** Processes that derive it see its retirement within this time, and stop. */
const mostWaitMs = 30_000
const lookMs = 500

export interface RemovedParts {
  readonly generation: string
  readonly topics: readonly string[]
  readonly views: readonly string[]
}

/**
 * Marks a generation for removal, or only lists what would be removed then.
 *
 * @param wanted an id or a name
 * @throws LoomlogError `generation-refused` for one that is live, or retired already; a dry run too
 */
export async function retire(
  host: Host,
  wanted: string,
  what: 'retire' | 'list',
): Promise<RemovedParts & Pick<Generation, 'status'>> {
  const known = await readGenerations(host.log, host.codec)
  const generation = generationBy(known, wanted)
  const { id, status } = generation
  const change = { previous: status, status: 'retired', share: null } as const
  const refused = refusal(known, { type: 'GenerationStatusChanged', generation: id, ...change, at: Date.now() })
  if (refused !== null) throw new LoomlogError('generation-refused', refused)
  const parts = await removableOf(host, known, { ...generation, status: 'retired' })
  if (what === 'retire') await changeStatus(host, id, change)
  return { ...parts, status: what === 'retire' ? 'retired' : status }
}

/** Removes all retired generations, or only lists what would be removed. @throws LoomlogError `group-in-use` */
export async function collectGarbage(host: Host, what: 'remove' | 'list'): Promise<readonly RemovedParts[]> {
  const known = await readGenerations(host.log, host.codec)
  const removed: RemovedParts[] = []
  for (const generation of known.generations.values()) {
    if (generation.status !== 'retired' && generation.status !== 'removing') continue
    removed.push(await (what === 'remove' ? remove(host, generation) : removableOf(host, known, generation)))
  }
  return removed
}

function removableOf(host: Host, known: Generations, generation: Generation): Promise<RemovedParts> {
  return existing(host, generation, garbageOf(known, generation, host.topics) ?? { stages: [], views: [] })
}

/** The topics and views of this garbage that exist. */
async function existing(host: Host, { id }: Pick<Generation, 'id'>, garbage: Garbage): Promise<RemovedParts> {
  const store = lanceStore(viewsUri(host.config))
  const topics = new Set((await host.log.topics()).map(({ name }) => name))
  const views = garbage.views.filter((view) => store.mayHold(idOf(view)))
  return {
    generation: id,
    topics: garbage.stages.map(({ topic }) => topic).filter((topic) => topics.has(topic)),
    views: views.map(({ topic, embedder }) => `${topic} in ${embedder}`),
  }
}

/** @throws LoomlogError `group-in-use` where a process still derives it, `generation-refused` */
async function remove(host: Host, generation: Generation): Promise<RemovedParts> {
  const { id } = generation
  if (generation.status === 'retired') {
    await changeStatus(host, id, { previous: 'retired', status: 'removing', share: null })
  }
  crashPoint('remove.after-marked')
  // Read again: from here on no generation that shares a topic with it can be started.
  const known = await readGenerations(host.log, host.codec)
  const marked = known.generations.get(id)
  const garbage = marked === undefined ? null : garbageOf(known, marked, host.topics)
  if (garbage === null) throw new Error(`${id} is being removed, and has no garbage`)
  const removed = await existing(host, generation, garbage)
  for (const { topic, embedder } of garbage.views) await deleteGroup(host, `materializer.${viewId(topic, embedder)}`)
  for (const { stage, derivation, topic } of garbage.stages) {
    await deleteGroup(host, groupOf(stage, derivation))
    await host.log.deleteTopic(topic)
    crashPoint('remove.after-stream')
  }
  for (const view of garbage.views) {
    await lanceStore(viewsUri(host.config)).remove(idOf(view), host.partitions)
    crashPoint('remove.after-view')
  }
  crashPoint('remove.before-done')
  await changeStatus(host, id, { previous: 'removing', status: 'removed', share: null })
  return removed
}

function idOf({ topic, embedder }: DeadView): string {
  return viewId(topic, embedder)
}

async function deleteGroup({ log }: Host, group: string): Promise<void> {
  for (const deadline = Date.now() + mostWaitMs; ; ) {
    try {
      return await log.deleteGroup(group)
    } catch (error) {
      if (!isLoomlogError(error, 'group-in-use') || Date.now() > deadline) throw error
      await sleep(lookMs)
    }
  }
}
