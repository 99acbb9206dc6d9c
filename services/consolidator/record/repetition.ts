/**
 * Compares two sentences by their shared words in the same order, without function words; names, numbers and "not" must
 * be the same in both. Cautious: a missed repetition is kept twice, but a false one would lose a fact.
 */

const functionWords = new Set(
  `a an the this that these those is are was were be been being am has have had do does did of in on at to for from by with as and
  or also too very really just so`.split(/\s+/),
)
const spelledNumber =
  /^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|first|second|third|once|twice)$/
const denials = /^(?:not|no|never|none|nobody|nothing|without|cannot|hardly|stopped|quit|.*n't)$/

/** @param least the share of all their words that both must hold, from 0 to 1 */
export function isRepetition(a: string, b: string, least: number): boolean {
  const [one, other] = [signature(a), signature(b)]
  if (!equal(one.exact, other.exact)) return false
  const shared = [...one.words].filter((word) => other.words.has(word))
  const inOrder = [...other.words].filter((word) => one.words.has(word)).every((word, index) => word === shared[index])
  const all = one.words.size + other.words.size - shared.length
  return inOrder && all > 0 && shared.length / all >= least
}

/** The words of a sentence in order, and those that must not be lost: names, numbers and denials. */
export interface Signature {
  readonly words: ReadonlySet<string>
  readonly exact: ReadonlySet<string>
}

export function signature(text: string): Signature {
  const found = text.replaceAll('’', "'").match(/[\p{L}\p{N}][\p{L}\p{N}'.,:-]*/gu) ?? []
  const tokens = found.map((token) => token.replace(/(?<![.,:'-])[.,:'-]+$/, ''))
  const words = new Set<string>()
  const exact = new Set<string>()
  for (const token of tokens) {
    const lower = token.toLowerCase()
    if (functionWords.has(lower)) continue
    words.add(lower)
    // The first word has a capital anyway; both sentences are about the same subject.
    const isName = /^\p{Lu}/u.test(token) && token !== tokens[0]
    if (isName || /^\d/.test(lower) || spelledNumber.test(lower) || denials.test(lower)) exact.add(lower)
  }
  return { words, exact }
}

function equal(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((word) => b.has(word))
}
