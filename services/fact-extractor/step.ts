/**
 * Fact extraction (TriMem): turns every box into self-contained facts with their sources. The step checks every answer, of rules or of
 * a model: it drops facts without a source in the box, invalid dates and duplicates. It records no fact that a correction has banned
 * from its evidence, in any wording.
 */

import { bansOn, concernOf, noteMemory, type RecordedMemory } from '@loomlog/corrections/bans'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import { type Answer, ask, type Effects, get, put, type Step } from '@loomlog/runtime/step'
import type {
  BoxSealed,
  BoxUtterance,
  Draft,
  EventTime,
  EvidenceRetracted,
  FactRecorded,
  LinesRetracted,
  MemoryCorrected,
  Role,
  WindowExtracted,
} from '@loomlog/schemas/events'
import { derivedId } from '@loomlog/schemas/ids'
import { boxLines, contextAfter, label, noContext } from './box-lines.ts'
import { applied, correct, type FactEvent, undo } from './corrections.ts'
import { context } from './state.ts'
import type { ExtractedFact, ExtractedFacts } from './task-types.ts'
import { extractFacts } from './tasks.ts'

export type Input = BoxSealed | LinesRetracted | MemoryCorrected | EvidenceRetracted

export function* step(event: SequencedEvent<Input>, _parameters: object, derivation: string): Step<Draft<FactEvent>> {
  if (event.type === 'MemoryCorrected') return yield* correct(event)
  if (event.type !== 'BoxSealed') return yield* undo(event, derivation)
  return yield* record(event)
}

function* record(box: SequencedEvent<BoxSealed>): Step<Draft<FactEvent>> {
  const known = (yield* get(context, '')) ?? noContext
  const answer = yield* ask(extractFacts, boxLines(box, known))
  yield* put(context, '', contextAfter(box, known))
  if (answer.kind === 'none') return []
  const drafts = yield* allowed(box, facts(box, answer))
  return [...drafts, windowExtracted(box, drafts, answer)]
}

/** The last output of a window, so that later stages know that its facts are complete. */
function windowExtracted(
  box: BoxSealed,
  drafts: readonly Draft<FactEvent>[],
  { by, completions }: Answer<ExtractedFacts>,
): Draft<WindowExtracted> {
  return {
    type: 'WindowExtracted',
    conversation: box.conversation,
    boxes: [box.id],
    utterances: box.utterances.length,
    facts: drafts.filter(({ type }) => type === 'FactRecorded').length,
    cut: box.cut,
    origin: { causes: [], completions, method: by },
  }
}

/** The facts without banned ones, and a `CorrectionApplied` for each ban that concerned one of them. */
function* allowed(box: BoxSealed, found: readonly Draft<FactRecorded>[]): Effects<readonly Draft<FactEvent>[]> {
  const kept: Draft<FactRecorded>[] = []
  const met = new Map<string, { withheld: number; readonly unsure: { readonly id: string }[] }>()
  for (const fact of found) {
    const id = derivedId('fact-extractor', box.id, kept.length)
    const memory = { ...fact, corrected: 'no' } as const
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
  return { id, text, subject, relation, object, role, sources, corrected: 'no' }
}

function facts(
  box: BoxSealed,
  answer: Answer<ExtractedFacts> & { readonly value: ExtractedFacts },
): readonly Draft<FactRecorded>[] {
  const byLabel = new Map(box.utterances.map((utterance, index) => [label(index), utterance]))
  const texts = new Set<string>()
  return answer.value.facts.flatMap((fact) => {
    const sources = [...new Set(fact.sources)]
      .map((source) => byLabel.get(source))
      .filter((found) => found !== undefined)
    const [first] = sources
    if (first === undefined || texts.has(fact.text)) return []
    texts.add(fact.text)
    return [draft(box, fact, [first, ...sources.slice(1)], answer)]
  })
}

function draft(
  box: BoxSealed,
  fact: ExtractedFact,
  sources: readonly [BoxUtterance, ...BoxUtterance[]],
  answer: Answer<ExtractedFacts>,
): Draft<FactRecorded> {
  const ids = sources.map((source) => source.id)
  const { text, kind, subject, relation, object, location, persons, entities, keywords } = fact
  return {
    type: 'FactRecorded',
    box: box.id,
    conversation: box.conversation,
    ...{ text, kind, subject, relation, object, location, persons, entities, keywords },
    speaker: sources[0].speaker,
    role: leastTrusted(sources),
    saidAt: sources[0].at,
    when: eventTime(fact.when),
    sources: ids,
    correction: null,
    origin: { causes: ids, completions: answer.completions, method: answer.by },
  }
}

/** A statement with an agent's or a tool's part in it is not a person's own. */
function leastTrusted(sources: readonly [BoxUtterance, ...BoxUtterance[]]): Role {
  return sources.find((source) => source.role !== 'human')?.role ?? 'human'
}

function eventTime(when: ExtractedFact['when']): EventTime | null {
  if (when === null) return null
  const from = utc(when.from)
  const to = utc(when.to)
  return Number.isNaN(from) || Number.isNaN(to) || to < from ? null : { from, to, text: when.text }
}

const isoTime = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/

/** Accepts ISO 8601 only, as UTC without a zone: other forms mean different times on different machines. */
function utc(text: string): number {
  if (!isoTime.test(text)) return Number.NaN
  return Date.parse(text.includes('T') && !/(Z|[+-]\d\d:\d\d)$/.test(text) ? `${text}Z` : text)
}
