/** Changes that later utterances state and no fact records, and the sentences that they outdate. */
import { type ParsedMessage, parseMessage, sentencesOutdatedBy } from '@loomlog/language/change'
import type { Role } from '@loomlog/schemas/events'
import { byTime, type Memory } from '../memory.ts'
import { memoize } from '../text/memoize.ts'
import { stemsOf } from '../text/stems.ts'
import { isFuture } from './holding-entries.ts'
import type { ReplacedUtterance, Replacements } from './replacements.ts'
import { withoutSpeaker } from './wording.ts'

/** Newest messages that are read for changes. */
const maxChanging = 40

/** Only the start of a longer message is read for changes. */
const maxReadCharacters = 4_000

/**
 * The messages read last, some 8 MB: memories of the log tail and of spaces that are not cached are new objects at each
 * recall.
 */
const readText = memoize({ total: 200_000, longest: maxReadCharacters }, parseMessage)

/**
 * Cached, since reading a message takes half a millisecond and the same messages are candidates of many questions. A
 * cached space keeps the memories of its rows, so their readings leave with the space.
 */
const readings = new WeakMap<object, ParsedMessage>()

/** @param memory as found: a copy finds only the messages read last */
export function readMemory(memory: Pick<Memory, 'text' | 'speaker'>): ParsedMessage {
  const known = readings.get(memory)
  if (known !== undefined) return known
  const reading = readText(startOf(withoutSpeaker(memory)))
  readings.set(memory, reading)
  return reading
}

/**
 * Adds changes that are not recorded as facts: a later utterance states that part of an earlier one changed. Chains are
 * followed from sentence to sentence, so each outdated utterance names all of its replacements. Only a
 * person's utterance outdates a sentence, and only one of the same person.
 *
 * @param best ids of the utterances that are checked for being outdated. Messages that state a change are always
 *   checked, since they may be links of a chain
 * @param moment of the request: a message that is dated later changes nothing yet
 */
export function withChanges(
  replacements: Replacements,
  candidates: readonly { readonly memory: Memory; readonly role: Role | null }[],
  best: ReadonlySet<string>,
  moment: number,
): Replacements {
  const messages = candidates
    .filter(({ memory }) => memory.kind === 'utterance' && !isFuture(memory, moment))
    .toSorted((a, b) => byTime(a.memory, b.memory))
    .map(({ memory, role }) => {
      const { id, text, speaker, at } = memory
      const isPerson = role === null || role === 'human'
      return { id, text, speaker, at: at ?? 0, isPerson, read: readMemory(memory) }
    })
  const changing = messages.filter((each) => each.read.changes.length > 0).slice(-maxChanging)
  const compared = messages.filter((each) => best.has(each.id) || changing.includes(each))
  const bySentence = new Map<string, Map<string, ReadonlySet<string>>>()
  // The newest first, so that the replacements of a replacement are known.
  for (const each of changing.toReversed()) {
    const before = compared.slice(0, compared.indexOf(each)).filter((earlier) => each.isPerson && earlier.isPerson)
    for (const { message, sentence, by } of sentencesOutdatedBy(each, before)) {
      const further = [...(bySentence.get(each.id)?.get(by) ?? []), ...(replacements.get(each.id)?.by ?? [])]
      const sentences = bySentence.get(message.id) ?? new Map<string, ReadonlySet<string>>()
      bySentence.set(
        message.id,
        sentences.set(sentence, new Set([...(sentences.get(sentence) ?? []), each.id, ...further])),
      )
    }
  }
  const utterances = new Set(messages.map(({ id }) => id))
  const found = new Map(replacements)
  for (const { id, text, read } of compared) {
    const sentences = bySentence.get(id) ?? sentenceOfFact(read, found.get(id))
    if (sentences === undefined) continue
    const ids = new Set([...sentences.values()].flatMap((each) => [...each]))
    const recorded = found.get(id)?.by ?? []
    // A recorded replacement that changes none of these sentences may change any other one, so the whole message is
    // outdated. Recorded facts come with their utterances, so only utterances are compared.
    const spoken = recorded.filter((each) => utterances.has(each))
    const isExact = recorded.length === 0 || (spoken.length > 0 && spoken.every((each) => ids.has(each)))
    const by = [...new Set([...recorded, ...ids])].filter((each) => each !== id)
    const isWritten = [...sentences.keys()].every((sentence) => text.includes(sentence))
    const isPart = isExact && isWritten && read.stated.some(({ written }) => !sentences.has(written))
    found.set(id, { by, sentences: isPart ? sentences : null })
  }
  return found
}

/** The one sentence that has most words of a fact that no longer holds, with the ids that replace it. */
function sentenceOfFact(
  { stated }: ParsedMessage,
  { by = [], fact = '' }: Partial<ReplacedUtterance> = {},
): Map<string, ReadonlySet<string>> | undefined {
  const words = [...stemsOf(fact).counts.keys()]
  const shared = stated.map(({ written }) => {
    const { counts } = stemsOf(written)
    return { written, count: words.filter((stem) => counts.has(stem)).length }
  })
  const [best, second] = shared.toSorted((a, b) => b.count - a.count)
  if (best === undefined || best.count === 0 || best.count === second?.count) return undefined
  return new Map([[best.written, new Set(by)]])
}

/** The start of the text, up to the end of a sentence or line. */
function startOf(text: string): string {
  if (text.length <= maxReadCharacters) return text
  const start = text.slice(0, maxReadCharacters)
  return start.slice(0, 1 + Math.max(start.lastIndexOf('. '), start.lastIndexOf('\n')))
}
