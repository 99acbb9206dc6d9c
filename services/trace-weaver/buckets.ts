/**
 * The way from words to strands: every telling word has a bucket with the strands it leads to, the liveliest ones, and the number
 * of boxes that told of it. Exact and deterministic; no index that may answer otherwise tomorrow.
 */
import { type Effects, get, put } from '@loomlog/runtime/step'
import { type Rarities, rarity } from './overlap.ts'
import {
  type Bucket,
  boxesTold,
  bucket,
  maxBucketsPerEvent,
  maxStrandsPerBucket,
  type Strand,
  strand as strands,
} from './state.ts'
import { nearness, wordsOf } from './strands.ts'
import type { TellingWord } from './telling-words.ts'

/** Strands that are looked at closely, of all that an event's words lead to. */
const maxLookedAt = 16

const emptyBucket: Bucket = { boxes: 0, lastBox: '', strands: [] }

export type Candidate = { readonly id: string; readonly strand: Strand; readonly overlap: number }

/**
 * How rare these stems are as the space stands now. The same ones come again and again: whoever asks more than once before the space
 * changes hands in what it was told.
 */
export function* raritiesOf(
  lists: readonly (readonly TellingWord[])[],
  known = new Map<string, number>(),
): Effects<Rarities> {
  const all = (yield* get(boxesTold, '')) ?? 0
  for (const words of lists) {
    for (const { stem } of words) {
      if (!known.has(stem)) known.set(stem, rarity((yield* get(bucket, stem))?.boxes ?? 0, all))
    }
  }
  return known
}

/** The strands that share enough with these words, the nearest first. */
export function* candidates(
  words: readonly TellingWord[],
  limits: { readonly candidateScore: number; readonly maxCandidates: number },
  known: Map<string, number>,
): Effects<readonly Candidate[]> {
  const rarities = yield* raritiesOf([words], known)
  const evidence = new Map<string, number>()
  for (const { stem, weight } of words) {
    const more = (weight * (rarities.get(stem) ?? 0)) ** 2
    for (const id of (yield* get(bucket, stem))?.strands ?? []) evidence.set(id, (evidence.get(id) ?? 0) + more)
  }
  const promising = [...evidence].sort((a, b) => b[1] - a[1]).slice(0, maxLookedAt)
  const open: { readonly id: string; readonly strand: Strand }[] = []
  for (const [id] of promising) {
    const strand = yield* get(strands, id)
    if (strand !== null) open.push({ id, strand })
  }
  yield* raritiesOf(
    open.flatMap(({ strand }) => wordsOf(words, strand)),
    known,
  )
  return open
    .map(({ id, strand }) => ({ id, strand, overlap: nearness(words, strand, known) }))
    .filter(({ overlap }) => overlap >= limits.candidateScore)
    .sort((a, b) => b.overlap - a.overlap)
    .slice(0, limits.maxCandidates)
}

/** Counts a box once for each word that its events tell. */
export function* countWords(box: string, words: readonly TellingWord[]): Effects<void> {
  for (const { stem } of words) {
    const before = (yield* get(bucket, stem)) ?? emptyBucket
    if (before.lastBox !== box) yield* put(bucket, stem, { ...before, boxes: before.boxes + 1, lastBox: box })
  }
}

/**
 * Writes the strand, and makes the rarest words of each new event lead to it. Where a bucket is full, the strand that went longest
 * without an event falls out; out of its last bucket, it is deleted.
 */
export function* keep(
  id: string,
  strand: Strand,
  events: readonly (readonly TellingWord[])[],
  known: Map<string, number>,
): Effects<void> {
  let more = 0
  for (const stem of new Set(yield* leading(events, known))) {
    const before = (yield* get(bucket, stem)) ?? emptyBucket
    const others = before.strands.filter((each) => each !== id)
    if (others.length === before.strands.length) more++
    const kept = others.slice(-(maxStrandsPerBucket - 1))
    for (const out of others.slice(0, others.length - kept.length)) yield* letGo(out)
    yield* put(bucket, stem, { ...before, strands: [...kept, id] })
  }
  yield* put(strands, id, { ...strand, buckets: strand.buckets + more })
}

/** The stems that lead to the strand of these events. */
function* leading(events: readonly (readonly TellingWord[])[], known: Map<string, number>): Effects<readonly string[]> {
  const rarities = yield* raritiesOf(events, known)
  const worth = ({ stem, weight }: TellingWord) => weight * (rarities.get(stem) ?? 0)
  return events.flatMap((words) =>
    words
      .toSorted((a, b) => worth(b) - worth(a))
      .slice(0, maxBucketsPerEvent)
      .map((word) => word.stem),
  )
}

/** Deletes a strand all of whose events still wait, and takes it out of every bucket. */
export function* forget(id: string, { waiting }: Strand): Effects<void> {
  for (const stem of new Set(waiting.flatMap((told) => told.words.map((word) => word.stem)))) {
    const before = yield* get(bucket, stem)
    if (before?.strands.includes(id)) {
      yield* put(bucket, stem, { ...before, strands: before.strands.filter((each) => each !== id) })
    }
  }
  yield* put(strands, id, null)
}

function* letGo(id: string): Effects<void> {
  const strand = yield* get(strands, id)
  if (strand === null) return
  yield* put(strands, id, strand.buckets > 1 ? { ...strand, buckets: strand.buckets - 1 } : null)
}
