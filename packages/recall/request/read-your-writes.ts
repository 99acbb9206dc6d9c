/**
 * Waits until an append is visible. `raw`: the views have the utterances. `derived`: the views also have the memories
 * that the stages derive from them so far (an open box has no facts yet). `stages`: the stages have derived these
 * memories, and the views may lack them. Positions are low-water marks, so the stages are awaited one after the other:
 * each must pass the offset at which its input ended when the previous stage had passed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LoomlogError } from '@loomlog/errors'
import { endOffsetsInTime } from '@loomlog/log/end-offsets-in-time'
import { partitionOf } from '@loomlog/log/partition'
import type { GroupLag, Log } from '@loomlog/log/port'
import { groupOf } from '@loomlog/runtime/run'
import { type TopicSpec, topicSpec } from '@loomlog/topics/catalogue'
import { viewTopics } from '@loomlog/views/catalogue'
import type { ViewReader } from '@loomlog/views/reader'
import type { WaitReach } from './choices.ts'

export interface AfterPosition {
  /** In the topic `utterances`. The appended records are below the offset. */
  readonly partition: number
  readonly offset: number
  readonly reach: WaitReach | 'stages'
}

/** Poll interval. */
const pollMs = 50

export interface WaitOptions {
  readonly log: Log
  readonly views: ViewReader
  /** `tenant/space`, each of the request. A position of another partition is refused. */
  readonly spaces: readonly string[]
  readonly maxWaitMs: number
  /** Ends the wait. */
  readonly signal?: AbortSignal
}

/**
 * @throws LoomlogError `views-behind` after the wait; `input-invalid` for a position that is not in the log or not of
 * these spaces
 */
export async function waitForViews(
  after: AfterPosition,
  { log, views, spaces, maxWaitMs, signal }: WaitOptions,
): Promise<void> {
  const ends = await endOffsetsInTime(log, 'utterances')
  const partitions = [...new Set(spaces.map((space) => partitionOf(space, ends.length)))]
  if (!partitions.includes(after.partition)) {
    const expected = `expected one of partition ${partitions.join(' or ')}, which has the spaces of the request`
    throw new LoomlogError('input-invalid', `after is ${after.partition}@${after.offset}: ${expected}`)
  }
  const end = ends[after.partition] ?? 0
  if (after.offset > end) {
    const position = `${after.partition}@${after.offset}`
    throw new LoomlogError(
      'input-invalid',
      `after is ${position}: expected a position in the log, which ends at ${end}`,
    )
  }
  const deadline = performance.now() + maxWaitMs
  const topics = after.reach === 'raw' ? [topicSpec('utterances')] : viewTopics(views.tables)
  const passed = new Map<string, number>([['utterances', after.offset]])
  while (!(await allReached(topics, after, passed, log, views))) {
    if (performance.now() + pollMs > deadline) {
      throw new LoomlogError(
        'views-behind',
        `position ${after.partition}@${after.offset} (${after.reach}) is not reached within ${maxWaitMs} ms; try again later`,
      )
    }
    await sleep(pollMs)
    signal?.throwIfAborted()
  }
}

/** @param passed by topic, set once its stage has passed: the offset below which all outputs of the position are */
async function allReached(
  topics: readonly TopicSpec[],
  { partition, reach }: AfterPosition,
  passed: Map<string, number>,
  log: Log,
  views: ViewReader,
): Promise<boolean> {
  const groups = topics.length > 1 ? await log.groups() : []
  for (const topic of topics) {
    const source = views.source(topic.name)
    if (source === null) continue
    if (!passed.has(topic.name) && stageIsPast(topic, source, partition, passed, groups)) {
      passed.set(topic.name, (await log.endOffsets(source))[partition] ?? 0)
    }
    const wanted = passed.get(topic.name)
    if (wanted === undefined) return false
    if (reach !== 'stages' && (await views.watermark(topic.name, partition)) < wanted) return false
  }
  return true
}

function stageIsPast(
  { name, derivedFrom, writers: [stage = ''] }: TopicSpec,
  source: string,
  partition: number,
  passed: ReadonlyMap<string, number>,
  groups: readonly GroupLag[],
): boolean {
  const input = passed.get(derivedFrom ?? '')
  const group = groupOf(stage, source.slice(name.length + 1))
  const position = groups.find((lag) => lag.group === group && lag.partition === partition)?.position ?? 0
  return input !== undefined && position >= input
}
