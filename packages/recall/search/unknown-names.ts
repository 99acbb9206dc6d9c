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
import { type TailOptions, tailOf } from './log-tail.ts'
import { newestFirst } from './newest-first.ts'

/** Names that a notice suggests. */
const maxSuggested = 3
/** Newest utterances of a space whose speakers are suggested. */
const maxRead = 10_000

export interface NamesOfRequest {
  /** `tenant/space` */
  readonly spaces: readonly string[]
  readonly speakers: readonly string[]
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
    const unknown = await without(silent, (space) => hasUtterances(space, options))
    const known = spaces.filter((space) => !unknown.includes(space))
    const unheard = known.length === 0 ? [] : await without(unfound, (name) => speaks(name, known, options))
    const names = unknown.length === 0 ? [] : await namesIfThere(options)
    const speakerNames = unheard.length === 0 ? [] : await speakersOf(known, options)
    const inSpaces = known.map(nameOf).join(', ')
    return {
      notices: [
        ...unknown.map((space) => notice(`there is no space named ${quoted(nameOf(space))}`, nameOf(space), names)),
        ...unheard.map((name) => notice(`no speaker of ${inSpaces} is named ${quoted(name)}`, name, speakerNames)),
      ],
    }
  })
  // A name may be in the records that a view lacks.
  return rebuilding === undefined ? notices : []
}

/** For a reply: the field is present only if there are notices. */
export function noticesField(notices: readonly string[]): { readonly notices?: readonly string[] } {
  return notices.length === 0 ? {} : { notices }
}

/** The names that have most pairs of letters in common with this one, the nearest first. */
function nearestNames(name: string, names: readonly string[]): readonly string[] {
  const own = pairsOf(name)
  const shareOf = (other: string) => {
    const theirs = pairsOf(other)
    return (2 * [...theirs].filter((pair) => own.has(pair)).length) / Math.max(1, own.size + theirs.size)
  }
  return names
    .map((other) => ({ other, share: shareOf(other) }))
    .sort((a, b) => b.share - a.share || (a.other < b.other ? -1 : 1))
    .slice(0, maxSuggested)
    .map(({ other }) => other)
}

/** Its beginning and its end count as letters. */
function pairsOf(name: string): ReadonlySet<string> {
  const letters = [...` ${name.toLowerCase()} `]
  return new Set(letters.slice(1).map((letter, at) => `${letters[at]}${letter}`))
}

function notice(says: string, name: string, names: readonly string[]): string {
  const nearest = nearestNames(name, names)
  return nearest.length === 0 ? says : `${says}; the nearest: ${nearest.map(quoted).join(', ')}`
}

const quoted = (name: string) => JSON.stringify(name)
const nameOf = (space: string) => space.slice(space.indexOf('/') + 1)

function isSpokenBy({ speaker }: Pick<ScoredMemory, 'speaker'>, name: string): boolean {
  return speaker.toLowerCase().split(', ').includes(name.toLowerCase())
}

async function without<T>(items: readonly T[], isKnown: (item: T) => Promise<boolean>): Promise<readonly T[]> {
  const known = await Promise.all(items.map(isKnown))
  return items.filter((_, at) => !known[at])
}

/** A space whose records were not all searched may have some. */
async function hasUtterances(space: string, options: NameOptions): Promise<boolean> {
  // The tail is read before the view: an utterance that moves into the view meanwhile is then found.
  const { utterances, unsearched } = await tailOf(space, options)
  if (utterances.length > 0 || unsearched > 0) return true
  return (await options.views.scan(utteranceTable, { space, limit: 1 })).length > 0
}

async function speaks(name: string, spaces: readonly string[], options: NameOptions): Promise<boolean> {
  const speaker = name.toLowerCase()
  for (const space of spaces) {
    const { utterances, unsearched } = await tailOf(space, options)
    if (unsearched > 0 || utterances.some(({ event }) => event.speaker.toLowerCase() === speaker)) return true
    const where = hasAny('speakers', [speaker])
    if ((await options.views.scan(utteranceTable, { space, where, limit: 1 })).length > 0) return true
  }
  return false
}

async function speakersOf(spaces: readonly string[], options: NameOptions): Promise<readonly string[]> {
  const names = new Set<string>()
  for (const space of spaces) {
    for (const { event } of (await tailOf(space, options)).utterances) names.add(event.speaker)
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
