/**
 * Fact extraction (TriMem): every box becomes self-contained facts, each with its sources. What comes back is checked here, whoever
 * answered: a fact without a source in its box is dropped, a date that is none is left out, and the same fact is told once.
 */

import { ask, get, put, type Step } from '@loomlog/runtime/step'
import type { Answer } from '@loomlog/runtime/task'
import type { BoxSealed, BoxUtterance, Draft, EventTime, FactRecorded, Role } from '@loomlog/schemas/events'
import { wordsOf } from '@loomlog/schemas/words'
import { type Context, context, contextLines, maxParticipants } from './state.ts'
import { type BoxLines, type ExtractedFact, type ExtractedFacts, extractFacts } from './tasks.ts'

export function* step(box: BoxSealed): Step<Draft<FactRecorded>> {
  const known = (yield* get(context, '')) ?? { before: [], participants: [] }
  const participants = [...new Set([...known.participants, ...box.utterances.map((said) => said.speaker)])]
  const answer = yield* ask(extractFacts, boxLines(box, known, participants))
  yield* put(context, '', {
    before: [...known.before, ...box.utterances.map(said)].slice(-contextLines),
    participants: participants.slice(0, maxParticipants),
  })
  return answer.none === null ? facts(box, answer) : []
}

function boxLines(box: BoxSealed, known: Context, participants: readonly string[]): BoxLines {
  const lines = box.utterances.map((utterance, index) => ({
    label: label(index),
    speaker: utterance.speaker,
    role: utterance.role,
    said: new Date(utterance.at).toISOString(),
    text: utterance.text,
    shown: utterance.attachments.map((attachment) => attachment.description),
  }))
  return { lines, before: known.before, participants }
}

function facts(
  box: BoxSealed,
  answer: Answer<ExtractedFacts> & { readonly value: ExtractedFacts },
): readonly Draft<FactRecorded>[] {
  const byLabel = new Map(box.utterances.map((utterance, index) => [label(index), utterance]))
  const told = new Set<string>()
  return answer.value.facts.flatMap((fact) => {
    const sources = [...new Set(fact.sources)]
      .map((source) => byLabel.get(source))
      .filter((found) => found !== undefined)
    const [first] = sources
    if (first === undefined || told.has(fact.text)) return []
    told.add(fact.text)
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
    origin: { causes: ids, completions: answer.completions, method: answer.by },
  }
}

/** What an agent or a tool has part in is not a person's own statement. */
function leastTrusted(sources: readonly [BoxUtterance, ...BoxUtterance[]]): Role {
  return sources.find((source) => source.role !== 'human')?.role ?? 'human'
}

function eventTime(when: ExtractedFact['when']): EventTime | null {
  if (when === null) return null
  const from = utc(when.from)
  const to = utc(when.to)
  return Number.isNaN(from) || Number.isNaN(to) || to < from ? null : { from, to, text: when.text }
}

function label(index: number): string {
  return `u${index + 1}`
}

function said(utterance: BoxUtterance) {
  return { speaker: utterance.speaker, text: wordsOf(utterance) }
}

const isoTime = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/

/** Only ISO 8601, and without a zone UTC: other forms mean another time on another machine. */
function utc(text: string): number {
  if (!isoTime.test(text)) return Number.NaN
  return Date.parse(text.includes('T') && !/(Z|[+-]\d\d:\d\d)$/.test(text) ? `${text}Z` : text)
}
