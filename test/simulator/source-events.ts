/**
 * The source events of a random history: a few spaces with duplicates, conflicts, pauses, retries, inputs without an
 * answer, and forgettings.
 */
import type { RetryRequested, SourceEvent } from '@loomlog/schemas/events'
import { forgotten, pause, utterance } from '../../packages/runtime/toy-processors.ts'
import type { Random } from './random.ts'

/** The model has no answer to a text that starts with this. */
export const unanswerable = 'none'

/** Log time of the first forgetting, after that of every other event. */
const forgettingsFrom = 10_000

export function sourceEvents(random: Random): readonly SourceEvent[] {
  // Half of the histories are short: at the end of a history no later record can restart stuck work.
  const count = 2 + random(random(2) === 0 ? 6 : 30)
  const spaces = 1 + random(4)
  const texts = 2 + random(20)
  const events: SourceEvent[] = []
  for (let index = 0; index < count; index += 1) {
    const place = { space: `s${random(spaces)}`, conversation: `c${random(3)}` }
    const earlier = events[random(events.length + 1)]
    const kind = random(13)
    if (kind === 0 && earlier) events.push({ ...earlier, appendedAt: index })
    else if (kind === 1 && earlier?.type === 'UtteranceAppended') events.push({ ...earlier, text: `conflict ${index}` })
    else if (kind === 2) events.push(pause(`p${index}`, place))
    else if (kind === 3 && earlier?.type === 'UtteranceAppended') events.push(retry(earlier.id, earlier.space, index))
    else if (kind === 12) events.push(...forgetting(`f${index}`, { space: place.space, events, at: index, random }))
    else
      events.push(
        utterance(`u${index}`, { ...place, text: kind === 4 ? `${unanswerable} ${index}` : `text ${random(texts)}` }),
      )
  }
  return events
}

function retry(input: string, space: string, index: number): RetryRequested {
  const request = { stage: 'topic-loom', parked: 'p', attempt: 2, by: 'Ada', at: 1, appendedAt: 1, keyId: null }
  return { type: 'RetryRequested', id: `r${index}`, tenant: 't', space, input, ...request }
}

interface ForgettingOrigin {
  readonly space: string
  /** The events before it. */
  readonly events: readonly SourceEvent[]
  readonly at: number
  readonly random: Random
}

/** A marker, and copies of the events of its space that are kept: the first of each id, without retries. */
function forgetting(id: string, { space, events, at, random }: ForgettingOrigin): readonly SourceEvent[] {
  const first = new Map<string, SourceEvent>()
  for (const event of events.filter((each) => each.space === space)) {
    if (event.type === 'SubjectForgotten') first.clear()
    else if (event.type !== 'RetryRequested' && !first.has(event.id)) first.set(event.id, event)
  }
  const kept = [...first.values()].filter(() => random(3) > 0)
  return [forgotten(id, { space, kept: kept.length, appendedAt: forgettingsFrom + at }), ...kept]
}

/** How many of the next events one append carries: a marker and the copies behind it are never split. */
export function appendSize(events: readonly SourceEvent[], wanted: number): number {
  let size = Math.min(wanted, events.length)
  for (let at = 0; at < size; at += 1) {
    const event = events[at]
    if (event?.type === 'SubjectForgotten') size = Math.max(size, at + 1 + event.kept)
  }
  return size
}
