/**
 * The ask about a box's events, and the drafts from its answer. This is where answers are checked: an event that cites no utterance of
 * its box is dropped; invalid dates become null.
 */
import { bansOn, concernOf } from '@loomlog/corrections/bans'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { Answer, Effects } from '@loomlog/runtime/step'
import type { BoxSealed, MemoryCorrected, Role } from '@loomlog/schemas/events'
import { eventTime, namedDay } from './days.ts'
import { type EventDraft, maxStrandsPerBucket } from './state.ts'
import type { BoxText, FoundEvent, FoundEvents } from './task-types.ts'

/** The origin of events: a box, or a correction, which has no utterances. */
export type EventOrigin = Pick<BoxSealed, 'id' | 'utterances'>

export function rolesIn({ utterances }: EventOrigin): ReadonlyMap<string, Role> {
  return new Map(utterances.map(({ id, role }) => [id, role]))
}

/** The events without those that a correction banned from their evidence. */
export function* withoutBanned(
  events: readonly EventDraft[],
  roles: ReadonlyMap<string, Role>,
): Effects<readonly EventDraft[]> {
  const kept: EventDraft[] = []
  for (const event of events) {
    const bans = yield* bansOn(event.sources)
    const memory = memoryOf(event, roles)
    if (!bans.some((ban) => concernOf(ban, memory) === 'banned')) kept.push(event)
  }
  return kept
}

/** The event in the form that corrections compare. */
export function memoryOf({ text, persons, sources }: EventDraft, roles: ReadonlyMap<string, Role>) {
  const role = sources.map((source) => roles.get(source) ?? 'human').find((each) => each !== 'human') ?? 'human'
  return { text, subject: persons[0] ?? '', relation: '', object: '', role, sources, corrected: 'no' } as const
}

/** The event that a correction states; null if it states none. */
export function correctedEvent(event: MemoryCorrected): EventDraft | null {
  const { id, kind, text, conversation, when, persons, keywords, target, action, role } = event
  if (kind !== 'event' || text === null || action === 'retract' || action === 'unknown') return null
  const origin = { causes: [id], completions: [], method: role === 'human' ? 'person' : 'agent' }
  const words = { text, when, persons: named(persons), keywords: named(keywords) }
  const toldAt = target?.saidAt ?? event.at
  return { type: 'EventRecorded', box: '', conversation, ...words, toldAt, sources: [id], origin }
}

export function boxText(box: BoxSealed): BoxText {
  return {
    lines: box.utterances.map(({ speaker, role, at, text, attachments }, index) => ({
      label: label(index),
      speaker,
      role,
      said: namedDay(at),
      text,
      shown: attachments.map((attachment) => attachment.description),
    })),
  }
}

/** At most as many as a bucket holds strands, so that the events of one box never push each other out. */
export function eventDrafts(
  box: SequencedEvent<BoxSealed>,
  answer: Answer<FoundEvents>,
  maxEvents: number,
): readonly EventDraft[] {
  const byLabel = new Map(box.utterances.map((utterance, index) => [label(index), utterance]))
  const draft = (found: FoundEvent): EventDraft | null => {
    const sources = [...new Set(found.sources)].flatMap((each) => byLabel.get(each) ?? [])
    const text = found.text.trim()
    if (sources.length === 0 || text === '') return null
    return {
      type: 'EventRecorded',
      box: box.id,
      conversation: box.conversation,
      text,
      when: eventTime(found.when),
      toldAt: Math.max(...sources.map((source) => source.at)),
      persons: named(found.persons),
      keywords: named(found.keywords),
      sources: sources.map((source) => source.id),
      origin: {
        causes: sources.map((source) => source.id),
        completions: answer.completions,
        method: answer.by,
      },
    }
  }
  return (answer.value?.events ?? [])
    .flatMap((found) => draft(found) ?? [])
    .slice(0, Math.min(maxEvents, maxStrandsPerBucket))
}

function label(index: number): string {
  return `u${index + 1}`
}

function named(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))]
}
