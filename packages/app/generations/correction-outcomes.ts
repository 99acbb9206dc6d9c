/**
 * The effects of people's corrections under a generation. A correction may have several; its outcome is the best of
 * them.
 */
import type { ServingGeneration } from '@loomlog/generations/serving-generation'
import type { Host } from '@loomlog/host/open'
import { type CorrectionApplied, isEvent } from '@loomlog/schemas/events'
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

export async function correctionOutcomes(
  host: Host,
  serving: ServingGeneration,
): Promise<readonly CorrectionOutcome[]> {
  const best = new Map<string, CorrectionOutcome>()
  for await (const { space, event } of effects(host, serving)) {
    const { correction, outcome } = event
    const name = `${space} ${correction}`
    best.set(name, { space, correction, outcome: bestOutcome([outcome, best.get(name)?.outcome ?? 'missed']) })
  }
  return [...best.values()]
}

/** @param corrections ids of source events */
export async function correctionEffects(
  corrections: readonly string[],
  host: Host,
  serving: ServingGeneration,
): Promise<readonly CorrectionApplied[]> {
  const own: CorrectionApplied[] = []
  for await (const { event } of effects(host, serving)) if (corrections.includes(event.correction)) own.push(event)
  return own
}

export function bestOutcome(outcomes: readonly Outcome[]): Outcome {
  return fromBest.find((outcome) => outcomes.includes(outcome)) ?? 'missed'
}

async function* effects(host: Host, serving: ServingGeneration) {
  for await (const { key: space, event } of eventsOf(host, serving.topic(topicSpec('facts')))) {
    if (isEvent('CorrectionApplied', event)) yield { space, event }
  }
}
