/**
 * The tasks by rules. Events are what restating finds to have happened or to be planned. A link is as strong as what an
 * event shares with a strand, in rare words and in meaning; weaker where other people are concerned, and with the time between.
 */
import { cosine } from '@loomlog/language/cosine'
import { restate, type Statement } from '@loomlog/language/restate'
import type { Parameters } from '@loomlog/runtime/processor'
import { askAll, type Effects } from '@loomlog/runtime/step'
import { embed } from '@loomlog/runtime/task'
import type { EventTime } from '@loomlog/schemas/events'
import { dayMs, isoDay } from './days.ts'
import { isHappening } from './happenings.ts'
import type { BoxText, Dates, FoundEvent, FoundEvents, Line, LinkCandidate, LinkQuestion, Links } from './tasks.ts'

/** Lines before the one at hand that its pronouns may refer to. */
const linesBefore = 4

export function* extractEvents({ lines }: BoxText): Effects<FoundEvents> {
  const participants = [...new Set(lines.map((line) => line.speaker))]
  const found = new Map<string, FoundEvent>()
  for (const [index, line] of lines.entries()) {
    for (const event of happenings(line, lines.slice(Math.max(0, index - linesBefore), index), participants)) {
      const before = found.get(event.text)
      found.set(event.text, before ? { ...before, sources: [...before.sources, line.label] } : event)
    }
  }
  return { events: [...found.values()] }
}

/** What tools print and systems say is no telling of events. */
function happenings(line: Line, previous: readonly Line[], participants: readonly string[]): readonly FoundEvent[] {
  if (line.role !== 'human' && line.role !== 'agent') return []
  const others = participants.filter((each) => each !== line.speaker)
  const said = { speaker: line.speaker, text: line.text, at: Date.parse(`${line.said.slice(-10)}T12:00:00Z`) }
  const context = { addressee: others.length === 1 ? (others[0] ?? null) : null, previous, participants }
  return restate(said, context)
    .filter(isHappening)
    .map((statement) => ({
      text: statement.text,
      sources: [line.label],
      when: statement.when && datesOf(statement.when),
      persons: statement.persons,
      keywords: withoutVerb(statement),
    }))
}

/** What somebody did says less about the matter than what they did it to. */
function withoutVerb({ keywords, relation }: Statement): readonly string[] {
  const verb = new Set(relation.split(/\s+/))
  return keywords.filter((keyword) => !verb.has(keyword))
}

function datesOf(when: EventTime): Dates {
  return { from: isoDay(when.from), to: isoDay(Math.max(when.from, when.to - 1)), text: when.text }
}

/** What is left of a link where the two name other people, and where one of them names nobody. */
const otherPeople = 0.5
const nobodyNamed = 0.8
/** What is left of it after very long, and how long it takes to lose half of the rest. */
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
  return persons.length === 0 || candidate.persons.length === 0 ? nobodyNamed : otherPeople
}

function time(event: LinkQuestion['event'], candidate: LinkCandidate): number {
  const days = Math.min(...candidate.events.map((each) => Math.abs(Date.parse(each.on) - Date.parse(event.on)) / dayMs))
  return longAgo + (1 - longAgo) * 0.5 ** (days / halfOfRestDays)
}
