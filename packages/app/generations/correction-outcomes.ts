/** The outcomes of people's corrections under a generation: of several outcomes of one, the best counts. */
import type { Serving } from '@loomlog/generations/serving'
import type { Host } from '@loomlog/host/open'
import { isEvent } from '@loomlog/schemas/events'
import { topicSpec } from '@loomlog/topics/catalogue'
import { eventsOf } from '../derived-events.ts'

const fromBest = ['applied', 'unsure', 'missed'] as const
type Outcome = (typeof fromBest)[number]

export interface CorrectionOutcome {
  /** `tenant/space` */
  readonly space: string
  /** The id of the source event. */
  readonly correction: string
  readonly outcome: Outcome
}

export async function correctionOutcomes(host: Host, serving: Serving): Promise<readonly CorrectionOutcome[]> {
  const best = new Map<string, CorrectionOutcome>()
  for await (const { key: space, event } of eventsOf(host, serving.topic(topicSpec('facts')))) {
    if (!isEvent('CorrectionApplied', event)) continue
    const { correction, outcome } = event
    const known = best.get(`${space} ${correction}`)
    if (known && fromBest.indexOf(known.outcome) <= fromBest.indexOf(outcome)) continue
    best.set(`${space} ${correction}`, { space, correction, outcome })
  }
  return [...best.values()]
}
