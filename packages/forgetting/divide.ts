/**
 * Divides the source events of a space into those that a forgetting destroys and those that it keeps.
 *
 * Invariants:
 * 1. A kept event has its id, its times and its place in the order.
 * 2. No kept event names the id of a forgotten one: a correction of something that rests on it goes too, an undo keeps
 *    its other ids, and a pause moves to the last kept utterance before it.
 */
import { conversationPauseAfter, spacePauseAfter } from '@loomlog/intake/utterance'
import { alikeName } from '@loomlog/language/alike-name'
import type { SourceEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { sameName } from '@loomlog/schemas/names'
import type { Selection } from './selection.ts'

export interface Division {
  readonly forgotten: readonly SourceEvent[]
  readonly kept: readonly SourceEvent[]
  /** Selected ids that no event has. */
  readonly unknown: readonly string[]
}

/** @param events of the space, each id once, in the order of the log */
export function divide(events: readonly SourceEvent[], selection: Selection): Division {
  const forgotten: SourceEvent[] = []
  const kept: SourceEvent[] = []
  const lost = new Set<string>()
  const lastKept = new LastUtterances()
  const ids = new Set<string>()
  for (const event of events) {
    const rest = isSelected(event, selection) ? null : withoutLost(event, lost, lastKept)
    if (rest === null) {
      forgotten.push(event)
      lost.add(event.id)
    } else if (!ids.has(rest.id)) {
      kept.push(rest)
      ids.add(rest.id)
      if (rest.type === 'UtteranceAppended') lastKept.note(rest)
    }
  }
  const known = new Set(events.map(({ id }) => id))
  return { forgotten, kept, unknown: (selection.utterances ?? []).filter((id) => !known.has(id)) }
}

function isSelected(event: SourceEvent, selection: Selection): boolean {
  // Parked inputs before a forgetting are void, and so are retries of them.
  if (selection.everything || event.type === 'SubjectForgotten' || event.type === 'RetryRequested') return true
  // A pause goes with its conversation only, so that boxes end where they ended.
  if (event.type === 'ConversationPaused' || event.type === 'SpacePaused') return false
  const { utterances, speaker, conversation, from, to, appendedBefore } = selection
  return (
    (utterances === null || utterances.includes(event.id)) &&
    (speaker === null || alikeName(authorOf(event)) === alikeName(speaker)) &&
    (conversation === null || ('conversation' in event && sameName(event.conversation) === sameName(conversation))) &&
    (from === null || event.at >= from) &&
    (to === null || event.at < to) &&
    (appendedBefore === null || event.appendedAt < appendedBefore)
  )
}

type AuthoredEvent = Exclude<
  SourceEvent,
  { readonly type: 'ConversationPaused' | 'SpacePaused' | 'SubjectForgotten' | 'RetryRequested' }
>

function authorOf(event: AuthoredEvent): string {
  return event.type === 'UtteranceAppended' ? event.speaker : event.by
}

/** The event without the lost ids; null: nothing of it is left. */
function withoutLost(event: SourceEvent, lost: ReadonlySet<string>, lastKept: LastUtterances): SourceEvent | null {
  switch (event.type) {
    case 'MemoryCorrected':
      return event.target?.sources.some((id) => lost.has(id)) ? null : event
    case 'EvidenceRetracted': {
      const utterances = event.utterances.filter((id) => !lost.has(id))
      return utterances.length === 0 ? null : { ...event, utterances }
    }
    case 'ConversationPaused': {
      const last = lastKept.in(event.conversation)
      if (last === null || !lost.has(event.afterUtterance)) return last && event
      return { ...conversationPauseAfter(last), at: event.at, appendedAt: event.appendedAt }
    }
    case 'SpacePaused': {
      const last = lastKept.in(null)
      if (last === null || !lost.has(event.afterUtterance)) return last && event
      return { ...spacePauseAfter(last), at: event.at, appendedAt: event.appendedAt }
    }
    default:
      return event
  }
}

/** The last kept utterance of each conversation, and of the space. */
class LastUtterances {
  readonly #last = new Map<string | null, UtteranceAppended>()

  note(utterance: UtteranceAppended): void {
    this.#last.set(sameName(utterance.conversation), utterance).set(null, utterance)
  }

  in(conversation: string | null): UtteranceAppended | null {
    return this.#last.get(conversation === null ? null : sameName(conversation)) ?? null
  }
}
