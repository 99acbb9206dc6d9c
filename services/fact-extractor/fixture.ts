/**
 * Boxes, corrections and undo events for fact-extractor's tests, with defaults for all fields that a test does not
 * name.
 */
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { BoxSealed, BoxUtterance, EvidenceRetracted, MemoryCorrected, SpacePaused } from '@loomlog/schemas/events'
import type { Input } from './step.ts'

export type Line = readonly [speaker: string, text: string, fields?: Partial<BoxUtterance>]

export const monday = Date.UTC(2026, 2, 2, 9)
const place = { tenant: 't', space: 's', conversation: 'c' } as const
let boxes = 0
let sourceEvents = 0

/** A box that is sealed by a pause of its conversation, which ends a window by rules. */
export function box(...lines: readonly Line[]): BoxSealed {
  boxes += 1
  const utterances = lines.map(([speaker, text, fields], index) => {
    const utterance = { id: `b${boxes}-${index}`, seq: boxes * 100 + index, speaker, role: 'human' as const, text }
    return { ...utterance, at: monday + index * 60_000, attachments: [], ...fields }
  })
  const lineage = { derivation: 'test', method: 'rules', causes: [], completions: [] }
  const own = { id: `box-${boxes}`, seq: boxes * 100, ordinal: 0, knownAt: monday, keyId: null, lineage }
  const about = { cut: 'pause' as const, topic: '', keywords: [], startedAt: monday, endedAt: monday }
  return { type: 'BoxSealed', ...place, ...own, ...about, utterances }
}

/** A box that is sealed by a shift, so that its window stays open. */
export function openBox(...lines: readonly Line[]): BoxSealed {
  return { ...box(...lines), cut: 'shift' }
}

/** A pause of the space, with a seq after those of all boxes so far. */
export function spacePause(): SequencedEvent<SpacePaused> {
  sourceEvents += 1
  const { tenant, space } = place
  const own = { id: `space-pause-${sourceEvents}`, seq: boxes * 100 + 99, afterUtterance: '' }
  return { type: 'SpacePaused', tenant, space, ...own, at: monday, appendedAt: monday }
}

/** Adds a pause of the space after every box that is sealed by a pause, so that a model reads such a box alone. */
export function withSpacePauses(...events: readonly SequencedEvent<Input>[]): readonly SequencedEvent<Input>[] {
  return events.flatMap((event) =>
    event.type === 'BoxSealed' && event.cut === 'pause' ? [event, spacePause()] : [event],
  )
}

export function correction(
  target: Partial<NonNullable<MemoryCorrected['target']>> | null,
  fields: Partial<SequencedEvent<MemoryCorrected>> = {},
): SequencedEvent<MemoryCorrected> {
  sourceEvents += 1
  const empty = { memory: '', kind: 'fact', subject: 'Ann', relation: '', object: '', saidAt: monday, others: [] }
  const words = { text: null, kind: 'state', subject: '', relation: '', object: '', when: null, from: null } as const
  const who = {
    by: 'Ann',
    role: 'human',
    reason: null,
    at: monday + sourceEvents,
    appendedAt: monday + sourceEvents,
  } as const
  return {
    type: 'MemoryCorrected',
    id: `correction-${sourceEvents}`,
    ...place,
    seq: 1_000 + sourceEvents,
    action: 'retract',
    target: target && { ...empty, text: '', sources: [], ...target },
    ...words,
    persons: [],
    keywords: [],
    keyId: null,
    principal: null,
    ...who,
    ...fields,
  }
}

export function undoOf(
  utterances: readonly string[],
  derivation: string | null = null,
): SequencedEvent<EvidenceRetracted> {
  sourceEvents += 1
  const who = {
    by: 'Ann',
    role: 'human',
    reason: null,
    at: monday,
    appendedAt: monday,
    keyId: null,
    principal: null,
  } as const
  return {
    type: 'EvidenceRetracted',
    id: `undo-${sourceEvents}`,
    ...place,
    seq: 1_000 + sourceEvents,
    utterances,
    derivation,
    ...who,
  }
}
