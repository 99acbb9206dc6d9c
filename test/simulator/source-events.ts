/**
 * The source events of a random history: a few spaces with duplicates, conflicts, pauses, retries and inputs without an
 * answer.
 */
import type { RetryRequested, SourceEvent } from '@loomlog/schemas/events'
import { pause, utterance } from '../../packages/runtime/toy-processors.ts'
import type { Random } from './random.ts'

/** The model has no answer to a text that starts with this. */
export const unanswerable = 'none'

export function sourceEvents(random: Random): readonly SourceEvent[] {
  // Half of the histories are short: at the end of a history no later record can restart stuck work.
  const count = 2 + random(random(2) === 0 ? 6 : 30)
  const spaces = 1 + random(4)
  const texts = 2 + random(20)
  const events: SourceEvent[] = []
  for (let index = 0; index < count; index += 1) {
    const place = { space: `s${random(spaces)}`, conversation: `c${random(3)}` }
    const earlier = events[random(events.length + 1)]
    const kind = random(12)
    if (kind === 0 && earlier) events.push({ ...earlier, appendedAt: index })
    else if (kind === 1 && earlier?.type === 'UtteranceAppended') events.push({ ...earlier, text: `conflict ${index}` })
    else if (kind === 2) events.push(pause(`p${index}`, place))
    else if (kind === 3 && earlier?.type === 'UtteranceAppended') events.push(retry(earlier.id, earlier.space, index))
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
