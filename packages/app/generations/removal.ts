/**
 * Removes the topics, state and views that only a retired generation uses. The log records the status `removing` before
 * and `removed` after the work, so the next command completes a removal that was killed. Recorded answers stay:
 * deriving the generation again calls no model.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import { type Garbage, garbageOf, type UnusedView } from '@loomlog/generations/garbage'
import type { Generation } from '@loomlog/generations/generations'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { viewStore } from '@loomlog/host/view-store'
import { crashPoint } from '@loomlog/log/crash-points'
import { groupOf } from '@loomlog/runtime/run'
import { viewId } from '@loomlog/views/catalogue'
import { changeStatus } from './lifecycle.ts'

/** Processes that derive it see its retirement within this time, and stop. */
const mostWaitMs = 30_000
const pollMs = 500

export interface RemovedParts {
  readonly generation: string
  readonly topics: readonly string[]
  readonly views: readonly string[]
}

/** Those topics and views of this garbage that exist. @throws LoomlogError */
export async function removable(host: Host, { id }: Pick<Generation, 'id'>, garbage: Garbage): Promise<RemovedParts> {
  const store = viewStore(host)
  const existing = new Set((await host.log.topics()).map(({ name }) => name))
  const views = garbage.views.filter((view) => store.mayHold(idOf(view)))
  return {
    generation: id,
    topics: garbage.stages.map(({ topic }) => topic).filter((topic) => existing.has(topic)),
    views: views.map(({ topic, embedder }) => `${topic} in ${embedder}`),
  }
}

/** @throws LoomlogError `group-in-use` where a process still derives it, `generation-refused` */
export async function remove(
  host: Host,
  generation: Generation,
): Promise<{ readonly parts: RemovedParts; readonly position: string }> {
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
  const parts = await removable(host, generation, garbage)
  for (const { topic, embedder } of garbage.views) await deleteGroup(host, `materializer.${viewId(topic, embedder)}`)
  for (const { stage, derivation, topic } of garbage.stages) {
    await deleteGroup(host, groupOf(stage, derivation))
    await host.log.deleteTopic(topic)
    crashPoint('remove.after-stream')
  }
  for (const view of garbage.views) {
    await viewStore(host).remove(idOf(view), host.partitions)
    crashPoint('remove.after-view')
  }
  crashPoint('remove.before-done')
  const { position } = await changeStatus(host, id, { previous: 'removing', status: 'removed', share: null })
  return { parts, position }
}

function idOf({ topic, embedder }: UnusedView): string {
  return viewId(topic, embedder)
}

async function deleteGroup({ log }: Host, group: string): Promise<void> {
  for (const deadline = Date.now() + mostWaitMs; ; ) {
    try {
      return await log.deleteGroup(group)
    } catch (error) {
      if (!isLoomlogError(error, 'group-in-use') || Date.now() > deadline) throw error
      await sleep(pollMs)
    }
  }
}
