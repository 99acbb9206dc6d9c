/** The notice that utterances are in languages that the rules don't read, and what to do. */
import type { LanguageCounts } from '@loomlog/app/languages'
import { count } from './print.ts'

/** Largest number of languages named. */
const maxNamed = 5

/** Below this share of unread utterances there is no notice: single lines with foreign names are misjudged. */
const leastShare = 0.02

/** Null: a model derives the memory, or the rules read nearly every utterance. */
export function languageNotice({ utterances, unread, languages }: LanguageCounts, model: string | null): string | null {
  if (model !== null || unread === 0 || unread < leastShare * utterances) return null
  const named = Object.entries(languages)
    .slice(0, maxNamed)
    .map(([language, each]) => `${language} ${count(each)}`)
  return (
    `${count(unread)} of ${count(utterances)} utterances are in languages the rules don't read (${named.join(', ')}): they are found by ` +
    'their words, and give no facts. A model reads them: LOOMLOG_MODEL, with a multilingual LOOMLOG_EMBEDDER, for a new log; ' +
    'loomlog generation start --set STAGE.model=NAME for this one'
  )
}
