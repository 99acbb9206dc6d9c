/** Strands as values: adding an event, the title, and the similarity of an event to a strand. Pure. */
import { hash } from '@loomlog/schemas/ids'
import type { EventTerm } from './event-terms.ts'
import { overlap, type Rarities } from './overlap.ts'
import {
  type Mention,
  maxPersonsPerStrand,
  maxRecentPerStrand,
  maxTermsPerStrand,
  type PersonCount,
  type Strand,
  type TermCount,
} from './state.ts'

/** An event to weave. */
export type Arrival = {
  readonly mention: Mention
  readonly persons: readonly string[]
}

/** @param first the event that opened the strand */
export function traceId(first: string): string {
  return hash(['trace', first])
}

export const emptyStrand: Strand = {
  title: '',
  events: 0,
  links: 0,
  terms: [],
  persons: [],
  recent: [],
  waiting: [],
  previous: null,
  buckets: 0,
}

/** The strand with one more event, not yet linked. */
export function withEvent(strand: Strand, { mention, persons }: Arrival): Strand {
  return {
    ...strand,
    events: strand.events + 1,
    terms: withTerms(strand.terms, mention.words),
    persons: withPersons(strand.persons, persons),
    recent: [...strand.recent, mention].slice(-maxRecentPerStrand),
  }
}

/** Whether events of the same box wait in the strand for another box. */
export function isBoxWaiting({ mention }: Arrival, { waiting }: Strand): boolean {
  return waiting.some(({ box }) => box === mention.box)
}

/** Of terms with equal counts the newer ones stay, so that a long matter follows its newest events. */
function withTerms(before: readonly TermCount[], words: readonly EventTerm[]): readonly TermCount[] {
  const counts = new Map(before.map((term) => [term.stem, term]))
  const now = words.map((each) => {
    const known = counts.get(each.stem)
    counts.delete(each.stem)
    return { ...(known ?? each), weight: Math.max(each.weight, known?.weight ?? 0), count: (known?.count ?? 0) + 1 }
  })
  return [...now, ...counts.values()].sort((a, b) => b.count - a.count).slice(0, maxTermsPerStrand)
}

function withPersons(before: readonly PersonCount[], persons: readonly string[]): readonly PersonCount[] {
  const counts = new Map(before.map(({ person, count }) => [person, count]))
  for (const person of persons) counts.set(person, (counts.get(person) ?? 0) + 1)
  return [...counts]
    .map(([person, count]) => ({ person, count }))
    .sort((a, b) => b.count - a.count)
    .slice(0, maxPersonsPerStrand)
}

/** The mean of the similarity to the whole strand and to the most similar of its last events. */
export function nearness(words: readonly EventTerm[], strand: Strand, rarities: Rarities): number {
  const event = vector(words)
  const whole = overlap(event, vector(strand.terms), rarities)
  const nearest = Math.max(0, ...strand.recent.map((mention) => overlap(event, vector(mention.words), rarities)))
  return (whole + nearest) / 2
}

/** All terms whose rarity `nearness` needs. */
export function comparedTerms(
  words: readonly EventTerm[],
  { terms, recent }: Strand,
): readonly (readonly EventTerm[])[] {
  return [words, terms, ...recent.map((mention) => mention.words)]
}

/** A cache: lists are immutable, and many events are compared with the same lists. */
const vectors = new WeakMap<readonly EventTerm[], ReadonlyMap<string, number>>()

/** The weight of each stem, times its count. */
function vector(words: readonly (EventTerm | TermCount)[]): ReadonlyMap<string, number> {
  const known = vectors.get(words)
  if (known) return known
  const made = new Map(words.map((word) => [word.stem, 'count' in word ? word.count * word.weight : word.weight]))
  vectors.set(words, made)
  return made
}

const titleWords = 3

/** The rarest things that the strand's events share; verbs and persons only if they share no thing. */
export function title(strand: Strand, rarities: Rarities): string {
  const names = new Set(strand.persons.flatMap(({ person }) => person.toLowerCase().split(/\s+/)))
  const isThing = ({ word, weight }: TermCount) => weight >= 1 && !names.has(word.toLowerCase())
  const rank = ({ stem, weight, count }: TermCount) => (rarities.get(stem) ?? 0) * weight * Math.log(1 + count)
  const shared = strand.terms.filter((term) => term.count > 1)
  const things = shared.filter(isThing)
  const named = [things, shared].find((terms) => terms.length > 0) ?? strand.terms
  return named
    .toSorted((a, b) => rank(b) - rank(a))
    .slice(0, titleWords)
    .map((term) => term.word)
    .join(', ')
}
