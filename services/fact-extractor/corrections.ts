/**
 * Corrections. A replaced, pinned or added statement becomes a fact of its own, with an id from the
 * correction. The facts that a correction concerns are retracted, and banned from their evidence. If the correction
 * says from when the new words hold, these facts end then instead: they stay recorded, and the consolidator ends their
 * entries. Every correction gets a `CorrectionApplied`, also if it concerns no fact.
 */

import {
  addBan,
  banOf,
  bansOn,
  banVerdictOf,
  forgetMemory,
  memoriesFrom,
  noteMemory,
  type RecordedMemory,
} from '@loomlog/corrections/bans'
import { correctionFactId } from '@loomlog/corrections/fact-id'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { Effects } from '@loomlog/runtime/step'
import type {
  Correction,
  CorrectionApplied,
  CorrectionOutcome,
  Draft,
  FactRecorded,
  FactRetracted,
  FactWithheld,
  MemoryCorrected,
  WindowExtracted,
} from '@loomlog/schemas/events'

export type FactEvent = FactRecorded | FactWithheld | FactRetracted | WindowExtracted | CorrectionApplied

export function* correct(event: SequencedEvent<MemoryCorrected>): Effects<readonly Draft<FactEvent>[]> {
  const { id, conversation, target, action, role, from } = event
  if (action === 'unknown') return []
  const concerned: RecordedMemory[] = []
  const unsure: RecordedMemory[] = []
  if (target !== null) {
    const ban = banOf({ id, target, role, from })
    yield* addBan(target.sources, ban)
    for (const fact of yield* memoriesFrom(target.sources)) {
      const concern = banVerdictOf(ban, fact)
      if (concern === 'banned') concerned.push(fact)
      if (concern === 'unsure') unsure.push(fact)
    }
  }
  const [retracted, ended] = from === null ? [concerned, []] : [[], concerned]
  for (const fact of retracted) yield* forgetMemory(fact)
  const fact = factOf(event, { replaced: idsOf(retracted), ended: idsOf(ended) })
  // The first output, so that its id is the same in every derivation, regardless of how many facts it replaces.
  if (fact !== null) yield* noteMemory({ ...fieldsOf(fact), id: correctionFactId(id), isCorrection: true })
  const found = concerned.length > 0 || target === null
  const outcome = found ? 'applied' : unsure.length > 0 ? 'unsure' : 'missed'
  return [
    ...(fact === null ? [] : [fact]),
    ...retracted.map((each) => retraction(each, { correction: id, cause: 'corrected', conversation })),
    correctionApplied({ correction: id, conversation, outcome, retracted, from, ended, unsure }),
  ]
}

function idsOf(facts: readonly { readonly id: string }[]): readonly string[] {
  return facts.map(({ id }) => id)
}

function fieldsOf({ text, subject, relation, object, role, sources }: Draft<FactRecorded>) {
  return { text, subject, relation, object, role, sources }
}

/** The corrected statement as a fact, at its own time, or at that of the fact that it replaces. */
function factOf(
  event: SequencedEvent<MemoryCorrected>,
  concerned: Pick<Correction, 'replaced' | 'ended'>,
): Draft<FactRecorded> | null {
  const { id, action, text, by, role, target, conversation, from } = event
  if (text === null || action === 'retract' || action === 'unknown') return null
  const { kind, subject, relation, object, when, persons, keywords } = event
  // A pinned statement rests on the target's evidence too; a replacement doesn't.
  const sources = action === 'pin' ? [...(target?.sources ?? []), id] : [id]
  return {
    type: 'FactRecorded',
    box: '',
    conversation,
    text,
    kind,
    subject,
    relation,
    object,
    location: null,
    persons,
    entities: [],
    keywords,
    speaker: by,
    role,
    saidAt: from ?? target?.saidAt ?? event.at,
    when,
    sources,
    until: null,
    isChange: false,
    isInstruction: false,
    inferred: [],
    correction: { id, action, by, ...concerned },
    origin: {
      causes: [id, ...(target?.sources ?? [])],
      completions: [],
      method: role === 'human' ? 'person' : 'agent',
    },
  }
}

/** The ids of the lines that an undo concerns. */
export function* undoneLineIds(lines: readonly { readonly id: string }[]): Effects<readonly string[]> {
  const undone: string[] = []
  for (const { id } of lines) if ((yield* bansOn([id])).some(({ target }) => target === null)) undone.push(id)
  return undone
}

/** The ungrounded facts that no correction and no undo bans from their evidence. */
export function* withoutBanned(facts: readonly Draft<FactWithheld>[]): Effects<readonly Draft<FactWithheld>[]> {
  const kept: Draft<FactWithheld>[] = []
  for (const fact of facts) {
    const memory = { ...fact, subject: '', relation: '', object: '', isCorrection: false }
    const bans = yield* bansOn(fact.sources)
    if (!bans.some((ban) => ban.until === undefined && banVerdictOf(ban, memory) === 'banned')) kept.push(fact)
  }
  return kept
}

export function retraction(
  { id, sources }: RecordedMemory,
  why: Pick<FactRetracted, 'correction' | 'cause' | 'conversation'>,
): Draft<FactRetracted> {
  const origin = { causes: [why.correction, id, ...sources], completions: [], method: 'rules' }
  return { type: 'FactRetracted', fact: id, ...why, origin }
}

interface Outcome {
  readonly correction: string
  readonly conversation: string
  readonly outcome: CorrectionOutcome
  readonly retracted?: readonly RecordedMemory[]
  readonly from?: number | null
  readonly ended?: readonly { readonly id: string }[]
  readonly withheld?: number
  readonly unsure?: readonly { readonly id: string }[]
}

export function correctionApplied({ correction, conversation, outcome, ...found }: Outcome): Draft<CorrectionApplied> {
  const { retracted = [], from = null, ended = [], withheld = 0, unsure = [] } = found
  const ids = { retracted: idsOf(retracted), from, ended: idsOf(ended), unsure: idsOf(unsure) }
  const origin = { causes: [correction], completions: [], method: 'rules' }
  return { type: 'CorrectionApplied', correction, conversation, outcome, ...ids, withheld, origin }
}
