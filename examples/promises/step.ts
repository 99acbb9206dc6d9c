/**
 * Finds the promises in each sealed box: who promised what to whom by when. A promise cites its utterance. If the
 * utterance is undone, the promise is retracted.
 */
import type { SequencedEvent } from '@loomlog/runtime/processor'
import { ask, type Effects, get, put, type Step } from '@loomlog/runtime/step'
import type { BoxSealed, Draft, EvidenceRetracted, LinesRetracted } from '@loomlog/schemas/events'
import { derivedId } from '@loomlog/schemas/ids'
import { utteranceText } from '@loomlog/schemas/utterance-text'
import type { PromiseMade, PromiseRetracted } from './events.ts'
import { maxParticipants, participants, promisesIn } from './state.ts'
import type { FoundPromise } from './task-types.ts'
import { findPromises } from './tasks.ts'

export type Input = BoxSealed | LinesRetracted | EvidenceRetracted
export type PromiseEvent = PromiseMade | PromiseRetracted

export function* step(
  event: SequencedEvent<Input>,
  _parameters: object,
  derivation: string,
): Step<Draft<PromiseEvent>> {
  switch (event.type) {
    case 'BoxSealed':
      return yield* recordPromises(event)
    case 'LinesRetracted':
      return yield* retractPromises(event)
    default:
      return yield* undo(event, derivation)
  }
}

function* recordPromises(box: SequencedEvent<BoxSealed>): Step<Draft<PromiseMade>> {
  const spoken = box.utterances.filter(({ role }) => role === 'human' || role === 'agent')
  const before = (yield* get(participants, '')) ?? []
  const known = [...new Set([...before, ...spoken.map(({ speaker }) => speaker)])].slice(-maxParticipants)
  yield* put(participants, '', known)
  const byLabel = new Map(spoken.map((utterance, index) => [`u${index + 1}`, utterance]))
  const lines = [...byLabel].map(([label, utterance]) => {
    return {
      label,
      speaker: utterance.speaker,
      at: new Date(utterance.at).toISOString(),
      text: utteranceText(utterance),
    }
  })
  const answer = yield* ask(findPromises, { lines, participants: known })
  const drafts: Draft<PromiseMade>[] = []
  for (const found of answer.value?.promises ?? []) {
    const utterance = byLabel.get(found.line)
    if (utterance === undefined) continue
    const { id: source, speaker: promiser, at: madeAt } = utterance
    const id = derivedId('promises', box.id, drafts.length)
    yield* put(promisesIn, source, [...((yield* get(promisesIn, source)) ?? []), id])
    drafts.push({
      type: 'PromiseMade',
      conversation: box.conversation,
      box: box.id,
      text: `${promiser} promised to ${found.action}.`,
      promiser,
      to: found.to,
      due: dueTime(found.due),
      madeAt,
      sources: [source],
      origin: { causes: [source], completions: answer.completions, method: answer.by },
    })
  }
  return drafts
}

/** An undo may concern one derivation only. */
function* undo(event: EvidenceRetracted, own: string): Effects<Draft<PromiseRetracted>[]> {
  return event.derivation === null || event.derivation === own ? yield* retractPromises(event) : []
}

function* retractPromises({
  id: cause,
  utterances,
}: LinesRetracted | EvidenceRetracted): Effects<Draft<PromiseRetracted>[]> {
  const drafts: Draft<PromiseRetracted>[] = []
  for (const utterance of utterances) {
    for (const promise of (yield* get(promisesIn, utterance)) ?? []) {
      const origin = { causes: [cause, promise], completions: [], method: 'rules' }
      drafts.push({ type: 'PromiseRetracted', promise, cause, origin })
    }
    yield* put(promisesIn, utterance, null)
  }
  return drafts
}

/** A model's times may be invalid: then the promise has no deadline. */
function dueTime(due: FoundPromise['due']): PromiseMade['due'] {
  const [from, to] = [Date.parse(due?.from ?? ''), Date.parse(due?.to ?? '')]
  return due === null || Number.isNaN(from) || Number.isNaN(to) ? null : { from, to, text: due.text }
}
