/**
 * Undo by cause. The facts that cite an undone line are retracted. A model has read the line beside others, and
 * may have obeyed it: so each ask that had it is asked again without it, and facts of the earlier answer that
 * the new one doesn't bring again are retracted as well. New facts are recorded: a line may also have suppressed
 * some, and an innocent fact that took a word from an undone line comes back.
 *
 * Without an answer the facts stay whose words the remaining lines have. The input is parked with the reason,
 * and a retry has no effect: ids come from the cause, so its outputs would repeat those of the undo.
 */
import { banEvidence, forgetMemory, type RecordedMemory } from '@loomlog/corrections/bans'
import { likeness } from '@loomlog/language/likeness'
import { terms } from '@loomlog/language/terms'
import { itemsOf } from '@loomlog/runtime/keyed-list'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import { askAll, type Effects, get, put } from '@loomlog/runtime/step'
import type { Draft, EvidenceRetracted, FactRecorded, LinesRetracted } from '@loomlog/schemas/events'
import { contentWords } from './authorship.ts'
import { contextsWithout, linesOf, windowLines } from './box-lines.ts'
import { correctionApplied, type FactEvent, retraction } from './corrections.ts'
import { applyBans } from './extraction.ts'
import { type AnsweredBoxes, windowExtracted } from './fact-drafts.ts'
import { groundedFacts } from './grounded-facts.ts'
import { noteRead, type Read, takeReads } from './reads.ts'
import { maxOpenBoxes, openBoxes, readContexts, reread, writeContexts } from './state.ts'
import { extractFacts } from './tasks.ts'
import { boxesWithout, windowOf } from './window.ts'

export function* undo(
  event: SequencedEvent<EvidenceRetracted | LinesRetracted>,
  derivation: string,
): Effects<readonly Draft<FactEvent>[]> {
  const { conversation, utterances } = event
  if (event.type === 'EvidenceRetracted' && event.derivation !== null && event.derivation !== derivation) return []
  if ((yield* get(reread, event.id)) !== null) return []
  const correction = event.type === 'EvidenceRetracted' ? event.id : (event.lineage.causes[0] ?? event.id)
  const concerned = yield* banEvidence(utterances, correction)
  const known = yield* readContexts()
  yield* writeContexts(known, contextsWithout(utterances, known))
  for (const [key, box] of yield* itemsOf(openBoxes, yield* windowOf(event), maxOpenBoxes)) {
    const [rest] = boxesWithout(utterances, [box])
    if (rest && rest.utterances.length < box.utterances.length) yield* put(openBoxes, key, rest)
  }
  // An undo has one of these events for each box, and then one for all.
  const again = event.type === 'EvidenceRetracted' ? yield* readAgain(event) : noReading
  const retracted = [...concerned, ...again.gone]
  if (event.type === 'LinesRetracted' && concerned.length === 0) return []
  // Reported without facts too, since the undo concerns boxes and utterances.
  return [
    // The first outputs, since their ids are known before.
    ...again.recorded,
    ...retracted.map((fact) => retraction(fact, { correction, cause: 'undone', conversation })),
    correctionApplied({ correction, conversation, outcome: 'applied', retracted, unsure: [] }),
    ...again.ends,
  ]
}

interface SecondReading {
  readonly recorded: readonly Draft<FactEvent>[]
  /** The facts of the first reading that this one doesn't bring. */
  readonly gone: readonly RecordedMemory[]
  /** With new facts: later stages end their batches. */
  readonly ends: readonly Draft<FactEvent>[]
}

const noReading: SecondReading = { recorded: [], gone: [], ends: [] }

/** One ask for each ask that had one of the lines. An ask without any other line has nothing to be asked about. */
function* readAgain({ id, utterances }: SequencedEvent<EvidenceRetracted>): Effects<SecondReading> {
  const taken = yield* takeReads(utterances)
  const left = taken.filter(({ read }) => read.boxes.length > 0)
  const answers = yield* askAll(
    extractFacts,
    left.map(({ read }) => windowLines(read.boxes, read.known)),
  )
  const gone = taken.filter(({ read }) => read.boxes.length === 0).flatMap(({ facts }) => facts)
  const found: Draft<FactRecorded>[] = []
  const answered: AnsweredBoxes[] = []
  const readings: {
    readonly read: Read
    readonly kept: readonly string[]
    readonly own: readonly Draft<FactRecorded>[]
  }[] = []
  for (const [at, { read, facts }] of left.entries()) {
    const answer = answers[at]
    if (answer?.kind === 'answer') {
      const again = { boxes: read.boxes, known: read.known, answer }
      const { recorded } = groundedFacts(again, read.boxes)
      const isKept = (fact: RecordedMemory) => recorded.some((each) => isSame(fact, each))
      const own = recorded.filter((each) => !facts.some((fact) => isSame(fact, each)) && isNew(each, found))
      gone.push(...facts.filter((fact) => !isKept(fact)))
      found.push(...own)
      answered.push(again)
      readings.push({ read, kept: facts.filter(isKept).map((fact) => fact.id), own })
    } else {
      yield* put(reread, id, true)
      const [kept, others] = partition(facts, (fact) => isCarried(fact, read))
      gone.push(...others)
      readings.push({ read, kept: kept.map((fact) => fact.id), own: [] })
    }
  }
  for (const fact of gone) yield* forgetMemory(fact)
  const { drafts, ids } = yield* applyBans(id, found)
  for (const { read, kept, own } of readings) {
    yield* noteRead(read, [...kept, ...own.flatMap((fact) => ids.get(fact) ?? [])])
  }
  const ends = found.length === 0 ? [] : [windowExtracted(answered, 'pause', drafts)]
  return { recorded: drafts, gone, ends }
}

function isNew({ text }: Draft<FactRecorded>, found: readonly Draft<FactRecorded>[]): boolean {
  return !found.some((each) => each.text === text)
}

/** The same statement from the same line, in any wording. */
function isSame(fact: RecordedMemory, again: Draft<FactRecorded>): boolean {
  const isFromSameLine = again.sources.some((source) => fact.sources.includes(source))
  return isFromSameLine && again.role === fact.role && likeness(again, fact, []) === 'same'
}

/** Whether the remaining lines have most words of the fact. */
function isCarried({ text }: RecordedMemory, { boxes }: Read): boolean {
  const content = contentWords(text)
  const said = new Set(linesOf(boxes).flatMap((line) => terms(`${line.speaker} ${line.text}`)))
  return content.filter((word) => said.has(word)).length * 4 >= content.length * 3
}

function partition<T>(items: readonly T[], fits: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(fits), items.filter((item) => !fits(item))]
}
