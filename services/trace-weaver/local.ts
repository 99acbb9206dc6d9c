/**
 * The tasks by rules. Events are restated statements that happened or are planned. The score of a link combines rare words and meaning
 * that the event shares with the strand; other persons and the time between them lower it.
 */
import { cosine } from '@loomlog/language/cosine'
import { restate, type Statement } from '@loomlog/language/restate'
import { askAll, type Effects, embed, type Parameters } from '@loomlog/runtime/step'
import type { EventTime } from '@loomlog/schemas/events'
import { dayMs, isoDay } from './days.ts'
import { isEventStatement } from './event-statements.ts'
import type { BoxText, Dates, FoundEvent, FoundEvents, Line, LinkCandidate, LinkQuestion, Links } from './task-types.ts'

/** The lines before a line that its pronouns may refer to. */
const linesBefore = 4

export function* extractEvents({ lines }: BoxText): Effects<FoundEvents> {
  const participants = [...new Set(lines.map((line) => line.speaker))]
  const found = new Map<string, FoundEvent>()
  for (const [index, line] of lines.entries()) {
    for (const event of lineEvents(line, lines.slice(Math.max(0, index - linesBefore), index), participants)) {
      const before = found.get(event.text)
      found.set(event.text, before ? { ...before, sources: [...before.sources, line.label] } : event)
    }
  }
  return { events: [...found.values()] }
}

/** The events of a line. Only people's lines have any: see the facts of fact-extractor. */
function lineEvents(line: Line, previous: readonly Line[], participants: readonly string[]): readonly FoundEvent[] {
  if (line.role !== 'human') return []
  const others = participants.filter((each) => each !== line.speaker)
  const utterance = { speaker: line.speaker, text: line.text, at: Date.parse(`${line.said.slice(-10)}T12:00:00Z`) }
  const context = { addressee: others.length === 1 ? (others[0] ?? null) : null, previous, participants }
  return restate(utterance, context)
    .filter(isEventStatement)
    .map((statement) => ({
      text: statement.text,
      sources: [line.label],
      when: statement.when && datesOf(statement.when),
      persons: statement.persons,
      keywords: withoutVerb(statement),
    }))
}

/** The verb says less about a matter than its objects do. */
function withoutVerb({ keywords, relation }: Statement): readonly string[] {
  const verb = new Set(relation.split(/\s+/))
  return keywords.filter((keyword) => !verb.has(keyword))
}

function datesOf(when: EventTime): Dates {
  return { from: isoDay(when.from), to: isoDay(Math.max(when.from, when.to - 1)), text: when.text }
}

/** Factors of a link's score if the two name different persons, and if one of them names none. */
const otherPeople = 0.5
const noPersonNamed = 0.8
/** The factor after a very long time, and the half-life of the rest. */
const longAgo = 0.75
const halfOfRestDays = 60

export function* verifyLinks({ event, candidates }: LinkQuestion, parameters: Parameters): Effects<Links> {
  const { meaningShare = 0 } = parameters
  const texts = [...new Set([event, ...candidates.flatMap((candidate) => candidate.events)].map((each) => each.text))]
  const vectors = yield* askAll(embed, texts)
  const vectorOf = new Map(texts.map((text, index) => [text, vectors[index]?.value ?? []]))
  const likeness = (text: string) => cosine(vectorOf.get(text) ?? [], vectorOf.get(event.text) ?? [])
  const links = candidates.map((candidate) => {
    const meaning = Math.max(0, ...candidate.events.map((each) => likeness(each.text)))
    const alike = (1 - meaningShare) * candidate.overlap + meaningShare * meaning
    return { label: candidate.label, score: Math.min(1, alike * people(event, candidate) * time(event, candidate)) }
  })
  return { links }
}

function people({ persons }: LinkQuestion['event'], candidate: LinkCandidate): number {
  if (persons.some((person) => candidate.persons.includes(person))) return 1
  return persons.length === 0 || candidate.persons.length === 0 ? noPersonNamed : otherPeople
}

function time(event: LinkQuestion['event'], candidate: LinkCandidate): number {
  const days = Math.min(...candidate.events.map((each) => Math.abs(Date.parse(each.on) - Date.parse(event.on)) / dayMs))
  return longAgo + (1 - longAgo) * 0.5 ** (days / halfOfRestDays)
}
