/**
 * The tasks by rules. Events are what restating finds to have happened or to be planned. A link is as strong as the rare words
 * that an event shares with a strand, weaker where other people are concerned, and weaker with the time between.
 */
import { restate, type Statement } from '@loomlog/language/restate'
import type { Effects } from '@loomlog/runtime/step'
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

export function* verifyLinks({ event, candidates }: LinkQuestion): Effects<Links> {
  return { links: candidates.map((candidate) => ({ label: candidate.label, score: closeness(event, candidate) })) }
}

function closeness(event: LinkQuestion['event'], candidate: LinkCandidate): number {
  const days = Math.min(...candidate.events.map((each) => daysBetween(each.on, event.on)))
  return candidate.overlap * people(event.persons, candidate.persons) * (longAgo + (1 - longAgo) * 0.5 ** (days / halfOfRestDays))
}

function people(a: readonly string[], b: readonly string[]): number {
  if (a.some((person) => b.includes(person))) return 1
  return a.length === 0 || b.length === 0 ? nobodyNamed : otherPeople
}

function daysBetween(a: string, b: string): number {
  return Math.abs(Date.parse(a.slice(0, 10)) - Date.parse(b.slice(0, 10))) / dayMs
}
