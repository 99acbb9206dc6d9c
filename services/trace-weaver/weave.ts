/**
 * Puts a box's events into strands, one after the other, and publishes links where a strand spans boxes. Events of one box do
 * not by themselves make a trace: they wait together until another box joins.
 */
import type { Effects } from '@loomlog/runtime/step'
import { get, put } from '@loomlog/runtime/step'
import type { Draft, EventLinked } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import { type Candidate, countWords, keep, raritiesOf } from './buckets.ts'
import { boxesTold, maxWaitingPerStrand, type Strand, strand as strands, type Told } from './state.ts'
import { type Arrival, emptyStrand, joined, nearness, stemsOf, title } from './strands.ts'

/** An event with what it was found to belong to, the strongest first. */
export type Found = {
  readonly arrival: Arrival
  readonly links: readonly { readonly candidate: Candidate; readonly score: number }[]
  readonly completions: readonly string[]
  readonly method: string
}

export function* weave(
  box: string,
  found: readonly Found[],
  { sameBoxScore }: { readonly sameBoxScore: number },
): Effects<readonly Draft<EventLinked>[]> {
  if (found.length === 0) return []
  yield* put(boxesTold, '', ((yield* get(boxesTold, '')) ?? 0) + 1)
  for (const { arrival } of found) yield* countWords(box, arrival.told.words)
  const drafts: Draft<EventLinked>[] = []
  const opened: string[] = []
  for (const each of found) {
    for (const link of each.links) drafts.push(...(yield* join(each, link)))
    if (each.links.length === 0) yield* wait(each.arrival, opened, sameBoxScore)
  }
  return drafts
}

/** The event joins a strand of earlier boxes: from now on, if not before, it is a trace. */
function* join(found: Found, link: Found['links'][number]): Effects<readonly Draft<EventLinked>[]> {
  const { arrival } = found
  const { id } = link.candidate
  // An event before this one may have pushed it out of its last bucket.
  const before = (yield* get(strands, id)) ?? { ...link.candidate.strand, buckets: 0 }
  const grown = joined(before, arrival)
  const unlinked = [...before.waiting, arrival.told]
  const after: Strand = {
    ...grown,
    title: title(grown, yield* raritiesOf(grown.terms.map((term) => term.stem))),
    links: before.links + unlinked.length,
    waiting: [],
    previous: arrival.told.event,
  }
  yield* keep(id, after, arrival.told.words)
  const previous = [before.previous, ...unlinked.map((told) => told.event)]
  return unlinked.map((told, index) => ({
    type: 'EventLinked',
    trace: id,
    event: told.event,
    box: told.box,
    previous: previous[index] ?? null,
    title: after.title,
    score: link.score,
    position: before.links + index,
    origin: {
      causes: [told.event, previous[index] ?? null].filter((cause) => cause !== null),
      completions: found.completions,
      method: found.method,
    },
  }))
}

/** The event belongs to nothing yet: it waits for another box, beside one of its own box that is near, or alone. */
function* wait(arrival: Arrival, opened: string[], sameBoxScore: number): Effects<void> {
  const { told } = arrival
  for (const id of opened) {
    const strand = yield* get(strands, id)
    if (strand === null || strand.waiting.length >= maxWaitingPerStrand || !shareAPerson(strand, arrival)) continue
    if (nearness(told.words, strand, yield* raritiesOf(stemsOf(told.words, strand))) < sameBoxScore) continue
    return yield* begin(id, strand, arrival)
  }
  const id = traceId(told)
  opened.push(id)
  yield* begin(id, emptyStrand, arrival)
}

/** True too where nobody is named on either side. */
function shareAPerson(strand: Strand, { persons }: Arrival): boolean {
  if (strand.persons.length === 0 && persons.length === 0) return true
  return strand.persons.some(({ person }) => persons.includes(person))
}

function* begin(id: string, strand: Strand, arrival: Arrival): Effects<void> {
  const grown = joined(strand, arrival)
  const rarities = yield* raritiesOf(grown.terms.map((term) => term.stem))
  const waiting = [...strand.waiting, arrival.told]
  yield* keep(id, { ...grown, title: title(grown, rarities), waiting }, arrival.told.words)
}

function traceId(first: Told): string {
  return hash(['trace', first.event])
}
