/**
 * Matters that an event may belong to although they share no rare word: those of the same persons. A new car meets the
 * old one, and the new date of an appointment its old date. Only a model is asked about them, and only about those that
 * are nearest in meaning.
 */
import { type Effects, get, put } from '@loomlog/runtime/step'
import { type Mention, maxStrandsPerPerson, type Strand, strand as strands, strandsByPerson } from './state.ts'
import type { Arrival } from './strands.ts'

export interface Matter {
  readonly id: string
  readonly strand: Strand
}

/** Persons of one event whose matters are read. */
const maxPersonsPerEvent = 4
/**
 * For a change, or a date that is named while the earlier one is still ahead: added to the meaning that the two share.
 */
const replacementBonus = 0.15

/** Matters of the event's persons, without the comparison of their words. @param before earlier events of the batch */
export function* mattersOfPersons(arrival: Arrival, before: readonly Matter[]): Effects<readonly Matter[]> {
  const ids = new Set<string>()
  for (const person of keysOf(arrival)) {
    for (const id of (yield* get(strandsByPerson, person)) ?? []) ids.add(id)
  }
  const matters = before.filter(({ strand }) => isOfSamePerson(arrival, strand))
  for (const id of ids) {
    const strand = yield* get(strands, id)
    if (strand !== null && isOfSamePerson(arrival, strand)) matters.push({ id, strand })
  }
  return matters
}

/** Records that an event of these persons is in the strand, so that their later events meet it. */
export function* noteMatter(arrival: Arrival, id: string): Effects<void> {
  for (const person of keysOf(arrival)) {
    const others = ((yield* get(strandsByPerson, person)) ?? []).filter((each) => each !== id)
    yield* put(strandsByPerson, person, [...others, id].slice(-maxStrandsPerPerson))
  }
}

/** The rank of the matter among those that the event may continue. @param meaning the cosine of the two texts */
export function relatedness(event: Mention, { recent }: Strand, meaning: number): number {
  const last = recent.at(-1)
  const movesDate = event.when !== null && last?.when != null && last.when.from > event.toldAt
  return meaning + (event.isChange || movesDate ? replacementBonus : 0)
}

function keysOf({ persons }: Arrival): readonly string[] {
  return [...new Set(persons.map((person) => person.toLowerCase()))].slice(0, maxPersonsPerEvent)
}

function isOfSamePerson({ persons }: Arrival, strand: Strand): boolean {
  return strand.persons.some(({ person }) => persons.includes(person))
}
