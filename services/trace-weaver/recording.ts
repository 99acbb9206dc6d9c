/**
 * From a box to the question about its events, and from the answer to events. The edge where answers are checked: an event cites
 * utterances of its box or it is dropped; dates that are none become null.
 */
import { bansOn, concernOf } from '@loomlog/corrections/bans'
import type { Sequenced } from '@loomlog/runtime/processor'
import type { Effects } from '@loomlog/runtime/step'
import type { Answer } from '@loomlog/runtime/task'
import type { BoxSealed, MemoryCorrected, Role } from '@loomlog/schemas/events'
import { eventTime, namedDay } from './days.ts'
import { type EventDraft, maxStrandsPerBucket } from './state.ts'
import type { BoxText, FoundEvent, FoundEvents } from './tasks.ts'

/** What tells events: a box, or a correction, which stands for itself. */
export type Telling = Pick<BoxSealed, 'id' | 'utterances'>

export function rolesIn({ utterances }: Telling): ReadonlyMap<string, Role> {
  return new Map(utterances.map(({ id, role }) => [id, role]))
}

/** Without what a correction banned from its evidence. */
export function* allowed(
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

/** An event as corrections see it. */
export function memoryOf({ text, persons, sources }: EventDraft, roles: ReadonlyMap<string, Role>) {
  const role = sources.map((source) => roles.get(source) ?? 'human').find((each) => each !== 'human') ?? 'human'
  return { text, subject: persons[0] ?? '', relation: '', object: '', role, sources, corrected: 'no' } as const
}

/** What a correction says happened; null where it says nothing of the kind. */
export function eventOf(event: MemoryCorrected): EventDraft | null {
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

/** Never so many that the events of one box could push each other out of a bucket. */
export function recorded(
  box: Sequenced<BoxSealed>,
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
