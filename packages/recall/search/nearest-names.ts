/**
 * The names that are most like a given one. Requests can name up to 100 unknown speakers, and names have up to 256 characters, so the work is
 * bounded: names beyond a limit are left out, their letters are read once for all given names, and other requests of the process have their
 * turn meanwhile.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Names that one notice suggests. */
const maxSuggested = 3
/** Names that a given one is compared with. */
export const maxNames = 1_000
/** Names after which other requests have their turn: a few milliseconds, also if the names are long. */
const namesATurn = 50

interface NameLetters {
  readonly name: string
  readonly pairs: ReadonlySet<string>
}

/** The names that have most pairs of letters in common with each given one, the nearest first. */
export async function nearestNames(
  given: readonly string[],
  names: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const letters = await eachInTurns(names.slice(0, maxNames), (name) => ({ name, pairs: pairsOf(name) }))
  const nearest: string[][] = []
  for (const name of given) {
    const own = pairsOf(name)
    const shares = await eachInTurns(letters, (other) => ({ name: other.name, share: shareOf(own, other) }))
    const sorted = shares.sort((a, b) => b.share - a.share || (a.name < b.name ? -1 : 1))
    nearest.push(sorted.slice(0, maxSuggested).map(({ name: other }) => other))
  }
  return nearest
}

function shareOf(own: ReadonlySet<string>, { pairs }: NameLetters): number {
  const common = [...pairs].filter((pair) => own.has(pair)).length
  return (2 * common) / Math.max(1, own.size + pairs.size)
}

/** Its beginning and its end count as letters. */
function pairsOf(name: string): ReadonlySet<string> {
  const letters = [...` ${name.toLowerCase()} `]
  return new Set(letters.slice(1).map((letter, at) => `${letters[at]}${letter}`))
}

async function eachInTurns<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  for (const item of items) {
    results.push(work(item))
    if (results.length % namesATurn === 0) await nextTurn()
  }
  return results
}
