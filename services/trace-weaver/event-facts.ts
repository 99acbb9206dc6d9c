/** Selects the facts that are events, and reduces them to the fields and terms that weaving needs. */
import type { FactRecorded } from '@loomlog/schemas/events'
import { isEventStatement } from './event-statements.ts'
import { eventTerms } from './event-terms.ts'
import type { EventFact } from './state.ts'
import type { Arrival } from './strands.ts'

/**
 * The rules of fact-extractor call every statement in the past an event; a model's kind is trusted, and so is its mark
 * of a change.
 */
export function isEvent(fact: FactRecorded): boolean {
  const isDated = fact.kind === 'event' || fact.kind === 'plan'
  return fact.lineage.method === 'rules' ? isDated && isEventStatement(fact) : isDated || fact.isChange
}

export function eventOf(fact: FactRecorded): EventFact {
  const { id, conversation, text, relation, when, saidAt, persons, keywords, isChange, correction } = fact
  const box = correction === null ? fact.box : correction.id
  return { id, box, conversation, text, relation, when, saidAt, persons, keywords, isChange }
}

export function arrivalOf(event: EventFact, speakers: readonly string[]): Arrival {
  const { id, box, text, when, saidAt: toldAt, isChange, persons } = event
  const undated = when === null ? text : text.replace(when.text, ' ')
  const words = eventTerms({ text: undated, keywords: withoutVerb(event) }, speakers)
  return { mention: { event: id, box, text, when, toldAt, isChange, words }, persons }
}

/** The verb says less about a matter than its objects do. */
function withoutVerb({ keywords, relation }: EventFact): readonly string[] {
  const verb = new Set(relation.split(/\s+/))
  return keywords.filter((keyword) => !verb.has(keyword))
}
