/**
 * Checks of a log in which everything is derived: nothing is lost, doubled or out of order, and every answer is
 * recorded.
 */
import type { LogRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { AnswerRecorded, BoxSealed, FactRecorded, LoomEvent } from '@loomlog/schemas/events'
import { physicalTopic, topicSpec } from '@loomlog/topics/catalogue'
import { expectedOutputs, type Outputs } from './expected-outputs.ts'
import type { Cluster } from './log/cluster.ts'

export async function violations(
  cluster: Cluster,
  codec: Codec,
  derivations: readonly string[],
): Promise<readonly string[]> {
  const expected = await expectedOutputs(recordsOf(cluster, 'utterances'), codec)
  const events = async (topic: string) => {
    const decoded = await Promise.all(recordsOf(cluster, topic).map(({ value }) => codec.decodeOwn(value)))
    return decoded.filter((event) => event !== null)
  }
  const answers = recordedFirst(await events('completions'))
  const parked = new Set<string>()
  for (const event of await events('parked'))
    if (event.type === 'InputParked' && event.derivation === derivations[0]) parked.add(`${event.input} ${event.code}`)
  const found = differences('parked', [...expected.parked].sort(), [...parked].sort())
  for (const derivation of derivations) {
    const sealed = (await events(physicalTopic(topicSpec('topic-shifts'), derivation))).filter(isBox)
    const recorded = (await events(physicalTopic(topicSpec('facts'), derivation))).filter(isFact)
    found.push(...unlike(`boxes of ${derivation}`, expected.boxes, topicsBySpace(sealed)))
    found.push(...unlike(`facts of ${derivation}`, expected.facts, textsBySpace(recorded)))
    found.push(...outOfOrder(`boxes of ${derivation}`, sealed), ...unrecordedAnswers(sealed, answers))
  }
  return found
}

function recordsOf(cluster: Cluster, topic: string): readonly LogRecord[] {
  return cluster
    .topic(topic)
    .partitions.flat()
    .filter(({ timestamp }) => timestamp !== -1)
}

function isBox(event: LoomEvent): event is BoxSealed {
  return event.type === 'BoxSealed'
}

function isFact(event: LoomEvent): event is FactRecorded {
  return event.type === 'FactRecorded'
}

function topicsBySpace(boxes: readonly BoxSealed[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...Map.groupBy(boxes, ({ space }) => space)].map(([space, all]) => [space, all.map(({ topic }) => topic)]),
  )
}

function textsBySpace(facts: readonly FactRecorded[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...Map.groupBy(facts, ({ space }) => space)].map(([space, all]) => [space, all.map(({ text }) => text)]),
  )
}

function unlike(what: string, expected: Outputs['boxes'], found: Outputs['boxes']): readonly string[] {
  return [...expected].flatMap(([space, all]) => differences(`${what} in ${space}`, all, found.get(space) ?? []))
}

function differences(what: string, expected: readonly string[], found: readonly string[]): string[] {
  if (expected.length === found.length && expected.every((each, index) => each === found[index])) return []
  const at = expected.findIndex((each, index) => each !== found[index])
  const where = at === -1 ? expected.length : at
  return [
    `${what}: ${found.length} instead of ${expected.length}; at ${where} ${found[where]} instead of ${expected[where]}`,
  ]
}

/** Finds boxes behind a later one of their space. The output of a retry keeps its id and seq, so it may be behind. */
function outOfOrder(what: string, boxes: readonly BoxSealed[]): readonly string[] {
  const newest = new Map<string, number>()
  const seen = new Set<string>()
  return boxes.flatMap(({ space, seq, id, topic }) => {
    const before = newest.get(space) ?? -1
    const isRetried = seen.has(id)
    seen.add(id)
    newest.set(space, Math.max(before, seq))
    return seq >= before || isRetried ? [] : [`${what}: ${topic} of ${space} has seq ${seq} behind ${before}`]
  })
}

/** By key: the recorded answer with the lowest offset. */
function recordedFirst(events: readonly LoomEvent[]): ReadonlyMap<string, AnswerRecorded> {
  const first = new Map<string, AnswerRecorded>()
  for (const event of events) if (event.type === 'AnswerRecorded' && !first.has(event.key)) first.set(event.key, event)
  return first
}

function unrecordedAnswers(
  boxes: readonly BoxSealed[],
  answers: ReadonlyMap<string, AnswerRecorded>,
): readonly string[] {
  return boxes.flatMap(({ topic, lineage }) => {
    const keys = lineage.completions
    const isRecorded = keys.length === 1 && keys.every((key) => answers.has(key))
    return isRecorded ? [] : [`the answer behind the box ${topic} is not recorded`]
  })
}
