/**
 * Phrases that conversations share: texts that were copied or follow one pattern would measure a rule on what it was
 * written from.
 */
import type { CorpusConversation } from './conversation.ts'

const phraseLength = 6

export interface SharedPhrases {
  readonly name: string
  /** The share of its phrases of six words that another conversation has. */
  readonly share: number
  readonly examples: readonly string[]
}

export function sharedPhrases(conversations: readonly CorpusConversation[]): readonly SharedPhrases[] {
  const phrases = new Map(conversations.map((each) => [each.name, phrasesOf(each)]))
  const holders = new Map<string, number>()
  for (const of of phrases.values()) for (const phrase of of) holders.set(phrase, (holders.get(phrase) ?? 0) + 1)
  return [...phrases].map(([name, of]) => {
    const shared = [...of].filter((phrase) => (holders.get(phrase) ?? 0) > 1)
    return { name, share: of.size === 0 ? 0 : shared.length / of.size, examples: shared.slice(0, 5) }
  })
}

function phrasesOf({ messages }: CorpusConversation): ReadonlySet<string> {
  const phrases = new Set<string>()
  for (const { text } of messages) {
    const words = wordsOf(text)
    for (let at = 0; at + phraseLength <= words.length; at += 1)
      phrases.add(words.slice(at, at + phraseLength).join(' '))
  }
  return phrases
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[\p{L}\p{N}]+/gu) ?? []
}
