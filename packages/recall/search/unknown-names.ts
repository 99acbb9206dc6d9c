/**
 * Notices of spaces and speakers that a request names and the memory doesn't have, with the nearest names that it has. A space without an
 * utterance is valid: its memory is empty, and the notice tells an empty memory from a mistyped name. Only names without a result are looked
 * up, so other requests cost nothing more.
 */
import { isLoomlogError } from '@loomlog/errors'
import { and, hasAny, isNull } from '@loomlog/views/condition'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import { readDespiteDamage } from '../damage-tolerance.ts'
import type { ScoredMemory } from '../memory.ts'
import { type Tail, type TailOptions, tailOf } from './log-tail.ts'
import { maxNames, nearestNames } from './nearest-names.ts'
import { newestFirst } from './newest-first.ts'

/** Notices of spaces, and of speakers. Further unknown names of a request have none, and cost nothing. */
const maxNotices = 3
/** Newest utterances of a space in the view whose speakers are suggested. */
const maxRead = 1_000

export interface NamesOfRequest {
  /** `tenant/space` */
  readonly spaces: readonly string[]
  readonly speakers: readonly string[]
}

interface SpaceTail extends Tail {
  readonly space: string
}

export interface NameOptions extends TailOptions {
  /** The spaces of the tenant that the asker may read, by name. */
  spaceNames(): Promise<readonly string[]>
}

/** @param found the items of the result */
export async function unknownNames(
  { spaces, speakers }: NamesOfRequest,
  found: readonly Pick<ScoredMemory, 'space' | 'speaker'>[],
  options: NameOptions,
): Promise<readonly string[]> {
  const silent = spaces.filter((space) => found.every((item) => item.space !== space))
  const unfound = speakers.filter((name) => found.every((item) => !isSpokenBy(item, name)))
  if (silent.length === 0 && unfound.length === 0) return []
  const { notices, rebuilding } = await readDespiteDamage(spaces, options.views, async () => {
    const unknown = await firstWithout(silent, (space) => hasUtterances(space, options))
    // With that many unknown spaces, the others were not looked up.
    const known = unknown.length === maxNotices ? [] : spaces.filter((space) => !unknown.includes(space))
    const tails = await Promise.all(known.map(async (space) => ({ space, ...(await tailOf(space, options)) })))
    const unheard = known.length === 0 ? [] : await firstWithout(unfound, (name) => speaks(name, tails, options))
    const names = unknown.length === 0 ? [] : await namesIfThere(options)
    const speakerNames = unheard.length === 0 ? [] : await speakersOf(tails, options)
    const inSpaces = known.map(nameOf).join(', ')
    const spaceNotices = unknown.map((space) => ({
      name: nameOf(space),
      says: `there is no space named ${quoted(nameOf(space))}`,
    }))
    const speakerNotices = unheard.map((name) => ({
      name,
      says: `no speaker of ${inSpaces} is named ${quoted(name)}`,
    }))
    return {
      notices: [...(await withNearest(spaceNotices, names)), ...(await withNearest(speakerNotices, speakerNames))],
    }
  })
  // A name may be in the records that a view lacks.
  return rebuilding === undefined ? notices : []
}

/** For a reply: the field is present only if there are notices. */
export function noticesField(notices: readonly string[]): { readonly notices?: readonly string[] } {
  return notices.length === 0 ? {} : { notices }
}

async function withNearest(
  notices: readonly { readonly name: string; readonly says: string }[],
  names: readonly string[],
): Promise<readonly string[]> {
  if (notices.length === 0) return []
  const nearest = await nearestNames(
    notices.map(({ name }) => name),
    names,
  )
  return notices.map(({ says }, at) => {
    const suggested = nearest[at] ?? []
    return suggested.length === 0 ? says : `${says}; the nearest: ${suggested.map(quoted).join(', ')}`
  })
}

const quoted = (name: string) => JSON.stringify(name)
const nameOf = (space: string) => space.slice(space.indexOf('/') + 1)

function isSpokenBy({ speaker }: Pick<ScoredMemory, 'speaker'>, name: string): boolean {
  return speaker.toLowerCase().split(', ').includes(name.toLowerCase())
}

/** One after the other, until there are enough for the notices. */
async function firstWithout<T>(items: readonly T[], isKnown: (item: T) => Promise<boolean>): Promise<readonly T[]> {
  const unknown: T[] = []
  for (const item of items) {
    if (unknown.length === maxNotices) break
    if (!(await isKnown(item))) unknown.push(item)
  }
  return unknown
}

/** A space whose records were not all searched may have some. */
async function hasUtterances(space: string, options: NameOptions): Promise<boolean> {
  // The tail is read before the view: an utterance that moves into the view meanwhile is then found.
  const { utterances, unsearched } = await tailOf(space, options)
  if (utterances.length > 0 || unsearched > 0) return true
  return (await options.views.scan(utteranceTable, { space, limit: 1 })).length > 0
}

async function speaks(name: string, tails: readonly SpaceTail[], options: NameOptions): Promise<boolean> {
  const speaker = name.toLowerCase()
  for (const { space, utterances, unsearched } of tails) {
    if (unsearched > 0 || utterances.some(({ event }) => event.speaker.toLowerCase() === speaker)) return true
    const where = hasAny('speakers', [speaker])
    if ((await options.views.scan(utteranceTable, { space, where, limit: 1 })).length > 0) return true
  }
  return false
}

/** The newest first, and no more than are compared. */
async function speakersOf(tails: readonly SpaceTail[], options: NameOptions): Promise<readonly string[]> {
  const names = new Set<string>()
  for (const { space, utterances } of tails) {
    for (const { event } of utterances.toReversed()) names.add(event.speaker)
    if (names.size >= maxNames) break
    const where = and(isNull('correction'), isNull('knownTo'))
    const rows = await options.views.scan(utteranceTable, { space, where, orderBy: newestFirst, limit: maxRead })
    for (const { speaker } of rows) names.add(speaker)
  }
  return [...names]
}

/** Without the log there are no suggestions. */
async function namesIfThere(options: NameOptions): Promise<readonly string[]> {
  try {
    return await options.spaceNames()
  } catch (error) {
    if (isLoomlogError(error, 'log-unavailable')) return []
    throw error
  }
}
