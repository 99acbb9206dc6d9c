/**
 * Notices of spaces and speakers that a request names and the memory doesn't have, with the nearest names that it has.
 * A space without an utterance is valid: its memory is empty, and the notice tells an empty memory from a mistyped
 * name. The tail of the log has the names that a view lacks. Only names without a result are looked up, so other
 * requests cost nothing more. A notice is a hint beside the answer, so its failure never fails the request: it is left
 * out.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { alikeName } from '@loomlog/language/alike-name'
import { and, hasAny, isNull } from '@loomlog/views/condition'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { readDespiteDamage } from '../damage-tolerance.ts'
import type { ScoredMemory } from '../memory.ts'
import { memoizedTail, type Tail, type TailOptions } from './log-tail.ts'
import { newestFirst } from './newest-first.ts'

/** Names that a notice suggests. */
const maxSuggested = 3
/** Notices of one request about spaces, and about speakers. */
const maxNotices = 3
/** Newest utterances of a space whose speakers are suggested. */
const maxRead = 1_000
/** Names that are compared with an unknown one. */
const maxCompared = 1_000
/** Longest wait for the names of spaces: their first list reads the log. */
const spaceNamesMs = 500

export interface NamesOfRequest {
  /** `tenant/space` */
  readonly spaces: readonly string[]
  readonly speakers: readonly string[]
}

export interface NameOptions extends TailOptions {
  /** The spaces of the tenant that the asker may read, by name. They are not used once the signal aborts. */
  spaceNames(signal: AbortSignal): Promise<readonly string[]>
}

/** @param found the items of the result */
export async function unknownNames(
  names: NamesOfRequest,
  found: readonly Pick<ScoredMemory, 'space' | 'speaker'>[],
  options: NameOptions,
): Promise<readonly string[]> {
  try {
    return await noticesOf(names, found, options)
  } catch {
    return []
  }
}

async function noticesOf(
  { spaces, speakers }: NamesOfRequest,
  found: readonly Pick<ScoredMemory, 'space' | 'speaker'>[],
  options: NameOptions,
): Promise<readonly string[]> {
  const silent = spaces.filter((space) => found.every((item) => item.space !== space))
  const unfound = speakers.filter((name) => found.every((item) => !isSpokenBy(item, name)))
  if (silent.length === 0 && unfound.length === 0) return []
  const { notices } = await readDespiteDamage(spaces, options.views, async () => {
    const place = { views: options.views, tailOf: tailsOf(options) }
    const unknown = await without(silent, (space) => hasUtterances(space, place), silent.length)
    const known = spaces.filter((space) => !unknown.includes(space))
    const unheard = known.length === 0 ? [] : await without(unfound, (name) => speaks(name, known, place), maxNotices)
    const names = unknown.length === 0 ? [] : await namesIfThere(options)
    const speakerNames = unheard.length === 0 ? [] : await speakersOf(known, place)
    const inSpaces = known.map(nameOf).join(', ')
    return {
      notices: [
        ...(await withNearest(unknown.slice(0, maxNotices).map(nameOf), names, (n) => `there is no space named ${n}`)),
        ...(await withNearest(unheard, speakerNames, (n) => `no speaker of ${inSpaces} is named ${n}`)),
      ],
    }
  })
  return notices
}

/** For a reply: the field is present only if there are notices. */
export function noticesField(notices: readonly string[]): { readonly notices?: readonly string[] } {
  return notices.length === 0 ? {} : { notices }
}

/**
 * A notice for each unknown name, with the nearest of the known ones. Other requests have their turn between two
 * notices.
 */
async function withNearest(
  unknown: readonly string[],
  known: readonly string[],
  says: (name: string) => string,
): Promise<readonly string[]> {
  if (unknown.length === 0) return []
  const compared = known.slice(0, maxCompared).map((name) => ({ name, pairs: pairsOf(name) }))
  const notices: string[] = []
  // A space that is derived again after a forgetting has no utterances in the views, and is known.
  for (const name of unknown.filter((each) => !known.includes(each))) {
    await nextTurn()
    const nearest = nearestNames(name, compared)
    const said = says(quoted(name))
    notices.push(nearest.length === 0 ? said : `${said}; the nearest: ${nearest.map(quoted).join(', ')}`)
  }
  return notices
}

interface ComparedName {
  readonly name: string
  readonly pairs: ReadonlySet<string>
}

/** The names that have most pairs of letters in common with this one, the nearest first. */
function nearestNames(name: string, compared: readonly ComparedName[]): readonly string[] {
  const own = pairsOf(name)
  const shareOf = (pairs: ReadonlySet<string>) =>
    (2 * [...pairs].filter((pair) => own.has(pair)).length) / Math.max(1, own.size + pairs.size)
  return compared
    .map((other) => ({ other: other.name, share: shareOf(other.pairs) }))
    .sort((a, b) => b.share - a.share || (a.other < b.other ? -1 : 1))
    .slice(0, maxSuggested)
    .map(({ other }) => other)
}

/** Its beginning and its end count as letters. */
function pairsOf(name: string): ReadonlySet<string> {
  const letters = [...` ${name.toLowerCase()} `]
  return new Set(letters.slice(1).map((letter, at) => `${letters[at]}${letter}`))
}

const quoted = (name: string) => JSON.stringify(name)
const nameOf = (space: string) => space.slice(space.indexOf('/') + 1)

/** The forms of a name by which a filter finds it. */
function isSpokenBy({ speaker }: Pick<ScoredMemory, 'speaker'>, name: string): boolean {
  return speaker.split(', ').map(alikeName).includes(alikeName(name))
}

/** The first unknown items, `most` at most. */
async function without<T>(
  items: readonly T[],
  isKnown: (item: T) => Promise<boolean>,
  most: number,
): Promise<readonly T[]> {
  const unknown: T[] = []
  for (const item of items) {
    if (unknown.length >= most) break
    if (!(await isKnown(item))) unknown.push(item)
  }
  return unknown
}

interface NamePlace extends Pick<NameOptions, 'views'> {
  /** Read once a space. */
  tailOf(space: string): Promise<Tail>
}

function tailsOf(options: TailOptions): NamePlace['tailOf'] {
  const tails = new Map<string, () => Promise<Tail>>()
  return (space) => {
    const tail = tails.get(space) ?? memoizedTail(space, options)
    tails.set(space, tail)
    return tail()
  }
}

/** A space whose records were not all searched may have some. */
async function hasUtterances(space: string, { views, tailOf }: NamePlace): Promise<boolean> {
  // The tail is read before the view: an utterance that moves into the view meanwhile is then found.
  const { utterances, unsearched } = await tailOf(space)
  if (utterances.length > 0 || unsearched > 0) return true
  return (await views.scan(utteranceTable, { space, limit: 1 })).length > 0
}

async function speaks(name: string, spaces: readonly string[], { views, tailOf }: NamePlace): Promise<boolean> {
  const alike = alikeName(name)
  for (const space of spaces) {
    const { utterances, unsearched } = await tailOf(space)
    if (unsearched > 0 || utterances.some(({ event }) => alikeName(event.speaker) === alike)) return true
    const where = hasAny('speakers', [alike])
    if ((await views.scan(utteranceTable, { space, where, limit: 1 })).length > 0) return true
  }
  return false
}

async function speakersOf(spaces: readonly string[], { views, tailOf }: NamePlace): Promise<readonly string[]> {
  const names = new Set<string>()
  for (const space of spaces) {
    for (const { event } of (await tailOf(space)).utterances) names.add(event.speaker)
    const where = and(isNull('correction'), isNull('knownTo'))
    const rows = await views.scan(utteranceTable, { space, where, orderBy: newestFirst, limit: maxRead })
    for (const { speaker } of rows) names.add(speaker)
  }
  return [...names]
}

/** Without the log, or if their list takes too long, there are no suggestions. */
async function namesIfThere(options: NameOptions): Promise<readonly string[]> {
  try {
    return await options.spaceNames(AbortSignal.timeout(spaceNamesMs))
  } catch {
    return []
  }
}
