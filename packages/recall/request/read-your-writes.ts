/**
 * Waits until a space's views have what somebody wrote: `raw`, the utterances themselves; `derived`, also all that the stages make of
 * them so far (a box that is still open has no facts yet). Positions are low-water marks, so it is enough to ask each stage, in the
 * order of the flow, whether it is past where the one before stood when it was past the position.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LoomlogError } from '@loomlog/errors'
import { partitionOf } from '@loomlog/log/partition'
import type { GroupLag, Log } from '@loomlog/log/port'
import { groupOf } from '@loomlog/runtime/run'
import { inputOf, type TopicName, topicSpec } from '@loomlog/topics/catalogue'
import { viewTopics } from '@loomlog/views/catalogue'
import type { ViewReader } from '@loomlog/views/reader'

export const reaches = ['raw', 'derived'] as const
export type Reach = (typeof reaches)[number]

export interface After {
  /** In the topic `utterances`: what was appended stands below this offset. */
  readonly partition: number
  readonly offset: number
  readonly reach: Reach
}

const lookMs = 50

export interface Waiting {
  readonly log: Log
  readonly views: ViewReader
  /** `tenant/space`, each that is asked: a position of another partition says nothing about them. */
  readonly spaces: readonly string[]
  readonly maxWaitMs: number
  /** Ends the waiting. */
  readonly signal?: AbortSignal
}

/** @throws LoomlogError `views-behind` where it is not there in time; `input-invalid` where it is no position of the spaces in the log */
export async function untilReached(after: After, { log, views, spaces, maxWaitMs, signal }: Waiting): Promise<void> {
  const ends = await log.endOffsets('utterances')
  const partitions = [...new Set(spaces.map((space) => partitionOf(space, ends.length)))]
  if (!partitions.includes(after.partition)) {
    const expected = `expected one of partition ${partitions.join(' or ')}, where what is asked stands`
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
  const topics = after.reach === 'raw' ? (['utterances'] as const) : viewTopics
  const passed = new Map<TopicName, number>([['utterances', after.offset]])
  while (!(await allReached(topics, after.partition, passed, log, views))) {
    if (performance.now() + lookMs > deadline) {
      throw new LoomlogError(
        'views-behind',
        `after ${after.partition}@${after.offset}, ${after.reach}: not there within ${maxWaitMs} ms; ask again later`,
      )
    }
    await sleep(lookMs)
    signal?.throwIfAborted()
  }
}

/** @param passed where each topic stood when it held all that comes of the position; grows as stages get there */
async function allReached(
  topics: readonly TopicName[],
  partition: number,
  passed: Map<TopicName, number>,
  log: Log,
  views: ViewReader,
): Promise<boolean> {
  const groups = topics.length > 1 ? await log.groups() : []
  for (const topic of topics) {
    const source = views.source(topic)
    if (source === null) continue
    if (!passed.has(topic) && stageIsPast(topic, source, partition, passed, groups)) {
      passed.set(topic, (await log.endOffsets(source))[partition] ?? 0)
    }
    const wanted = passed.get(topic)
    if (wanted === undefined || (await views.watermark(topic, partition)) < wanted) return false
  }
  return true
}

function stageIsPast(
  topic: TopicName,
  source: string,
  partition: number,
  passed: ReadonlyMap<TopicName, number>,
  groups: readonly GroupLag[],
): boolean {
  const [stage] = topicSpec(topic).writers
  const input = passed.get(inputOf(stage ?? ''))
  const group = groupOf(stage ?? '', source.slice(topic.length + 1))
  const position = groups.find((lag) => lag.group === group && lag.partition === partition)?.position ?? 0
  return input !== undefined && position >= input
}
