/** Strands as values: how one begins, how an event joins, what it is called, and how near an event is to it. Pure. */
import { hash } from '@loomlog/schemas/ids'
import { overlap, type Rarities } from './overlap.ts'
import {
  maxPersonsPerStrand,
  maxRecentPerStrand,
  maxTermsPerStrand,
  type PersonCount,
  type Strand,
  type TermCount,
  type Told,
} from './state.ts'
import type { TellingWord } from './telling-words.ts'

/** An event on its way into the weave. */
export type Arrival = {
  readonly told: Told
  readonly persons: readonly string[]
}

/** From the event that began it. */
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
export function joined(strand: Strand, { told, persons }: Arrival): Strand {
  return {
    ...strand,
    events: strand.events + 1,
    terms: withTerms(strand.terms, told.words),
    persons: withPersons(strand.persons, persons),
    recent: [...strand.recent, told].slice(-maxRecentPerStrand),
  }
}

/** Of words with equal counts the newer stay, so that a long matter follows what is said of it. */
function withTerms(before: readonly TermCount[], words: readonly TellingWord[]): readonly TermCount[] {
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

/** Half by what the strand is about on the whole, half by the nearest of its last events. */
export function nearness(words: readonly TellingWord[], strand: Strand, rarities: Rarities): number {
  const event = vector(words)
  const whole = overlap(event, vector(strand.terms), rarities)
  const nearest = Math.max(0, ...strand.recent.map((told) => overlap(event, vector(told.words), rarities)))
  return (whole + nearest) / 2
}

/** All the words that `nearness` needs the rarity of. */
export function wordsOf(words: readonly TellingWord[], { terms, recent }: Strand): readonly (readonly TellingWord[])[] {
  return [words, terms, ...recent.map((told) => told.words)]
}

/** Lists are never changed, and the same ones are compared with one event after the other. */
const vectors = new WeakMap<readonly TellingWord[], ReadonlyMap<string, number>>()

/** How much each stem counts: its weight, as often as it was told. */
function vector(words: readonly (TellingWord | TermCount)[]): ReadonlyMap<string, number> {
  const known = vectors.get(words)
  if (known) return known
  const made = new Map(words.map((word) => [word.stem, 'count' in word ? word.count * word.weight : word.weight]))
  vectors.set(words, made)
  return made
}

const titleWords = 3

/** The rarest of the things that its events share; what was done to them, and who did it, only where there is nothing else. */
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
