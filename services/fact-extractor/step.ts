/**
 * Fact extraction (TriMem): turns every window of boxes into self-contained facts with their sources, in one ask. The step checks every answer, of rules
 * or of a model: it drops facts without a source in the window, invalid dates and duplicates. It records no fact that a correction has
 * banned from its evidence, in any wording.
 */

import { bansOn, concernOf, noteMemory, type RecordedMemory } from '@loomlog/corrections/bans'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import { ask, askAll, type Effects, get, put, range, type Step } from '@loomlog/runtime/step'
import type {
  BoxSealed,
  CorrectionApplied,
  Draft,
  EvidenceRetracted,
  FactRecorded,
  LinesRetracted,
  MemoryCorrected,
} from '@loomlog/schemas/events'
import { derivedId } from '@loomlog/schemas/ids'
import { boxLines, contextAfter, noContext } from './box-lines.ts'
import { applied, correct, type FactEvent, undo } from './corrections.ts'
import { type BoxesRead, factDrafts, windowExtracted } from './fact-drafts.ts'
import { context, maxOpenBoxes, openBoxes, type UnansweredWindow, unanswered } from './state.ts'
import type { BoxLines } from './task-types.ts'
import { extractFacts } from './tasks.ts'
import { endsWindow, type WindowParameters, windowBox } from './window.ts'

export type Parameters = WindowParameters

export type Input = BoxSealed | LinesRetracted | MemoryCorrected | EvidenceRetracted

export function* step(
  event: SequencedEvent<Input>,
  parameters: Parameters,
  derivation: string,
): Step<Draft<FactEvent>> {
  if (event.type === 'MemoryCorrected') return yield* correct(event)
  if (event.type !== 'BoxSealed') return yield* undo(event, derivation)
  const waiting = yield* get(unanswered, event.id)
  return waiting === null ? yield* accept(event, parameters) : yield* extractAgain(event, waiting)
}

/** Adds the box to the open window, and reads the window if it ends. */
function* accept(box: SequencedEvent<BoxSealed>, parameters: Parameters): Step<Draft<FactEvent>> {
  const open = yield* range(openBoxes, '', maxOpenBoxes)
  const boxes = [...open.map(([, each]) => each), windowBox(box)]
  if (!endsWindow(boxes, parameters)) {
    yield* put(openBoxes, String(open.length).padStart(4, '0'), windowBox(box))
    return []
  }
  for (const [key] of open) yield* put(openBoxes, key, null)
  const known = (yield* get(context, '')) ?? noContext
  yield* put(context, '', contextAfter(boxes, known))
  const window = { boxes, known }
  const whole = yield* ask(extractFacts, boxLines(boxes, known))
  if (whole.kind === 'answer') return yield* extracted(box, [{ boxes, answer: whole }])
  return yield* extractParts(box, boxes.length === 1 ? null : window, window)
}

/** A retry of a window without any answer. */
function* extractAgain(box: SequencedEvent<BoxSealed>, window: UnansweredWindow): Step<Draft<FactEvent>> {
  yield* put(unanswered, box.id, null)
  return yield* extractParts(box, window, window)
}

/**
 * Reads each box of a window alone, since a long answer may have been cut off, or one line refused. The facts of answered boxes are recorded.
 * A window without any answer is kept for a retry.
 *
 * @param parts null: there is nothing smaller to ask for
 */
function* extractParts(
  box: SequencedEvent<BoxSealed>,
  parts: UnansweredWindow | null,
  window: UnansweredWindow,
): Step<Draft<FactEvent>> {
  const inputs: BoxLines[] = []
  let known = window.known
  for (const each of parts?.boxes ?? []) {
    inputs.push(boxLines([each], known))
    known = contextAfter([each], known)
  }
  const answers = yield* askAll(extractFacts, inputs)
  const read = answers.flatMap((answer, index) => {
    const own = window.boxes[index]
    return answer.kind === 'answer' && own ? [{ boxes: [own], answer }] : []
  })
  if (read.length > 0) return yield* extracted(box, read)
  yield* put(unanswered, box.id, window)
  return []
}

function* extracted(last: SequencedEvent<BoxSealed>, read: readonly BoxesRead[]): Step<Draft<FactEvent>> {
  const texts = new Set<string>()
  const found = read.flatMap((each) => factDrafts(last, each)).filter(({ text }) => !texts.has(text) && texts.add(text))
  const drafts = yield* allowed(last, found)
  return [...drafts, windowExtracted(last, read, drafts)]
}

/** The facts without banned ones, and a `CorrectionApplied` for each ban that concerned one of them. */
function* allowed(
  box: BoxSealed,
  found: readonly Draft<FactRecorded>[],
): Effects<readonly Draft<FactRecorded | CorrectionApplied>[]> {
  const kept: Draft<FactRecorded>[] = []
  const met = new Map<string, { withheld: number; readonly unsure: { readonly id: string }[] }>()
  for (const fact of found) {
    const id = derivedId('fact-extractor', box.id, kept.length)
    const memory = { ...fact, isCorrection: false }
    const concerns = (yield* bansOn(fact.sources)).map((ban) => ({ ban, concern: concernOf(ban, memory) }))
    for (const { ban, concern } of concerns.filter((each) => each.concern !== 'free')) {
      const meeting = met.get(ban.correction) ?? { withheld: 0, unsure: [] }
      met.set(ban.correction, meeting)
      if (concern === 'banned') meeting.withheld++
      else meeting.unsure.push({ id })
    }
    if (concerns.some(({ concern }) => concern === 'banned')) continue
    kept.push(fact)
    yield* noteMemory(memoryOf(id, fact))
  }
  const { conversation } = box
  const outcomes = [...met].map(([correction, { withheld, unsure }]) =>
    applied({ correction, conversation, outcome: withheld > 0 ? 'applied' : 'unsure', withheld, unsure }),
  )
  return [...kept, ...outcomes]
}

function memoryOf(id: string, { text, subject, relation, object, role, sources }: Draft<FactRecorded>): RecordedMemory {
  return { id, text, subject, relation, object, role, sources, isCorrection: false }
}
