/**
 * Ranks newer statements before older ones for a question about the present. A newer statement comes first if its words
 * may state an update of the older one. In languages that the rules don't read, it comes first if it is of the same
 * speaker and has every word of the question that the older one has. Nothing is marked, since both may hold: only the
 * order of the best memories changes.
 */
import { mayUpdate, type ParsedMessage } from '@loomlog/language/change'
import { isReadByRules, languageOf } from '@loomlog/language/language'
import { isOutdated, type ScoredMemory } from '../memory.ts'
import { asksEarlier, mayAskEarlier } from '../request/earlier-value.ts'
import { withoutSpeaker } from '../search/wording.ts'
import { stemsOf } from '../text/stems.ts'
import { highestOf } from './ranks.ts'

/** Best memories whose order may change. */
const maxOrdered = 10
/** A newer memory whose score is below this share of the older one's is about something else. */
const leastShare = 0.2

export interface NewerFirstOptions {
  /** Reads the message of a memory. */
  read(memory: ScoredMemory): ParsedMessage
  /** Of the request: a statement that is dated later updates nothing yet. */
  readonly moment: number
}

export function withNewerFirst<T extends ScoredMemory>(
  scored: readonly T[],
  query: string,
  options: NewerFirstOptions,
): readonly T[] {
  if (asksEarlier(query)) return scored
  const best = bestStatements(scored, query, options)
  const raised = new Map<string, { readonly score: number; readonly by: string }>()
  const scoreOf = ({ id, score }: ScoredMemory) => raised.get(id)?.score ?? score
  // From old to new: an update of an update comes before both.
  for (const newer of best.toSorted((a, b) => a.at - b.at)) {
    for (const older of best) {
      if (newer.at <= older.at || scoreOf(newer.memory) >= scoreOf(older.memory)) continue
      if (newer.memory.score < leastShare * older.memory.score || !comesFirst(newer, older, query)) continue
      raised.set(newer.memory.id, { score: scoreOf(older.memory), by: older.memory.id })
    }
  }
  return scored.map((memory) => {
    const over = raised.get(memory.id)
    return over === undefined ? memory : { ...memory, score: over.score, raisedBy: over.by }
  })
}

type Statement = ReturnType<typeof bestStatements>[number]

/** The best memories, best first. Of a message with outdated sentences, only the others count. */
function bestStatements(
  scored: readonly ScoredMemory[],
  query: string,
  { read: readMessage, moment }: NewerFirstOptions,
) {
  const asked = [...stemsOf(query).counts.keys()]
  const scores = Float64Array.from(scored, (memory) =>
    memory.kind === 'utterance' && !isOutdated(memory) && (memory.at ?? 0) <= moment
      ? memory.score
      : Number.NEGATIVE_INFINITY,
  )
  return highestOf(scores, maxOrdered).map((at) => {
    const memory = scored[at] as ScoredMemory
    const text = withoutSpeaker(memory)
    const { counts } = stemsOf(text)
    const read = stillHolding(readMessage(memory), memory.outdated)
    const words = asked.filter((stem) => counts.has(stem))
    return { memory, text, speaker: memory.speaker, at: memory.at ?? 0, read, words }
  })
}

function stillHolding(read: ParsedMessage, outdated: readonly string[] = []): ParsedMessage {
  if (outdated.length === 0) return read
  return { ...read, stated: read.stated.filter(({ written }) => !outdated.includes(written)) }
}

function comesFirst(newer: Statement, older: Statement, query: string): boolean {
  const update = mayUpdate(newer, older)
  if (update === 'value') return true
  if (update === 'news') return !mayAskEarlier(query)
  return newer.speaker === older.speaker && hasWordsOf(older, newer) && !rulesReadEither(older, newer)
}

function hasWordsOf(older: Statement, newer: Statement): boolean {
  return older.words.length > 0 && older.words.every((word) => newer.words.includes(word))
}

/** Whether the rules read one of the two. Then shared words of the question alone mean little. */
function rulesReadEither(older: Statement, newer: Statement): boolean {
  const language = languageOf(older.text, null)
  return isReadByRules(language) || isReadByRules(languageOf(newer.text, language))
}
