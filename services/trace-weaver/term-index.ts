/**
 * The index from terms to strands: every term has a bucket with its most recently joined strands and the number of
 * boxes, or events, that have it. Exact and deterministic, unlike a search index.
 */
import { type Effects, get, put } from '@loomlog/runtime/step'
import type { EventTerm } from './event-terms.ts'
import { type Rarities, rarity } from './overlap.ts'
import {
  type Bucket,
  bucket,
  type Mention,
  maxBucketsPerEvent,
  maxStrandsPerBucket,
  type Strand,
  strand as strands,
  textCount,
} from './state.ts'
import { comparedTerms, nearness } from './strands.ts'

/** At most this many of an event's strands are read and compared. */
const maxCompared = 16

const emptyBucket: Bucket = { count: 0, last: '', strands: [] }

export type Candidate = { readonly id: string; readonly strand: Strand; readonly overlap: number }

/**
 * The rarity of these stems in the space's current state.
 * @param known a cache, for callers that ask several times before the state changes
 */
export function* raritiesOf(
  lists: readonly (readonly EventTerm[])[],
  known = new Map<string, number>(),
): Effects<Rarities> {
  const all = (yield* get(textCount, '')) ?? 0
  for (const words of lists) {
    for (const { stem } of words) {
      if (!known.has(stem)) known.set(stem, rarity((yield* get(bucket, stem))?.count ?? 0, all))
    }
  }
  return known
}

/** The strands that share enough with these terms, the most similar first. */
export function* candidates(
  words: readonly EventTerm[],
  limits: { readonly candidateScore: number; readonly maxCandidates: number },
  known: Map<string, number>,
): Effects<readonly Candidate[]> {
  const rarities = yield* raritiesOf([words], known)
  const evidence = new Map<string, number>()
  for (const { stem, weight } of words) {
    const more = (weight * (rarities.get(stem) ?? 0)) ** 2
    for (const id of (yield* get(bucket, stem))?.strands ?? []) evidence.set(id, (evidence.get(id) ?? 0) + more)
  }
  const promising = [...evidence].sort((a, b) => b[1] - a[1]).slice(0, maxCompared)
  const open: { readonly id: string; readonly strand: Strand }[] = []
  for (const [id] of promising) {
    const strand = yield* get(strands, id)
    if (strand !== null) open.push({ id, strand })
  }
  yield* raritiesOf(
    open.flatMap(({ strand }) => comparedTerms(words, strand)),
    known,
  )
  return open
    .map(({ id, strand }) => ({ id, strand, overlap: nearness(words, strand, known) }))
    .filter(({ overlap }) => overlap >= limits.candidateScore)
    .sort((a, b) => b.overlap - a.overlap)
    .slice(0, limits.maxCandidates)
}

/**
 * Counts the box (by rules) or each of its events (with a model) once for each term. If a model's asks counted boxes, a
 * moved boundary would change the rarity of terms, and so every later question about links.
 *
 * @param mentions the events of one box
 */
export function* countTerms(mentions: readonly Mention[], unit: 'box' | 'event'): Effects<void> {
  const units = new Set(mentions.map((mention) => mention[unit]))
  yield* put(textCount, '', ((yield* get(textCount, '')) ?? 0) + units.size)
  for (const mention of mentions) {
    for (const { stem } of mention.words) {
      const before = (yield* get(bucket, stem)) ?? emptyBucket
      if (before.last === mention[unit]) continue
      yield* put(bucket, stem, { ...before, count: before.count + 1, last: mention[unit] })
    }
  }
}

/**
 * Writes the strand, and adds it to the buckets of each new event's rarest terms. A full bucket evicts its least
 * recently joined strand. A strand that is evicted from its last bucket is deleted.
 */
export function* storeStrand(
  id: string,
  strand: Strand,
  events: readonly (readonly EventTerm[])[],
  known: Map<string, number>,
): Effects<void> {
  let more = 0
  for (const stem of new Set(yield* leading(events, known))) {
    const before = (yield* get(bucket, stem)) ?? emptyBucket
    const others = before.strands.filter((each) => each !== id)
    if (others.length === before.strands.length) more++
    const kept = others.slice(-(maxStrandsPerBucket - 1))
    for (const out of others.slice(0, others.length - kept.length)) yield* evictStrand(out)
    yield* put(bucket, stem, { ...before, strands: [...kept, id] })
  }
  yield* put(strands, id, { ...strand, buckets: strand.buckets + more })
}

/** The stems whose buckets get the strand of these events. */
function* leading(events: readonly (readonly EventTerm[])[], known: Map<string, number>): Effects<readonly string[]> {
  const rarities = yield* raritiesOf(events, known)
  const worth = ({ stem, weight }: EventTerm) => weight * (rarities.get(stem) ?? 0)
  return events.flatMap((words) =>
    words
      .toSorted((a, b) => worth(b) - worth(a))
      .slice(0, maxBucketsPerEvent)
      .map((word) => word.stem),
  )
}

/** Deletes a strand without links, and removes it from the buckets of its waiting events. */
export function* deleteStrand(id: string, { waiting }: Strand): Effects<void> {
  yield* leaveBuckets(id, stemsOf(waiting))
  yield* put(strands, id, null)
}

/** Removes the strand from the buckets of these stems. @returns the number of buckets that it was in */
export function* leaveBuckets(id: string, stems: Iterable<string>): Effects<number> {
  let left = 0
  for (const stem of stems) {
    const before = yield* get(bucket, stem)
    if (!before?.strands.includes(id)) continue
    yield* put(bucket, stem, { ...before, strands: before.strands.filter((each) => each !== id) })
    left++
  }
  return left
}

export function stemsOf(mentions: readonly Mention[]): ReadonlySet<string> {
  return new Set(mentions.flatMap(({ words }) => words.map(({ stem }) => stem)))
}

function* evictStrand(id: string): Effects<void> {
  const strand = yield* get(strands, id)
  if (strand === null) return
  yield* put(strands, id, strand.buckets > 1 ? { ...strand, buckets: strand.buckets - 1 } : null)
}
