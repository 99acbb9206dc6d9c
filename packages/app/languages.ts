/**
 * How many utterances the rules read, and the languages of the others: rules read English only, so others give no
 * facts.
 */
import { isLoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { isReadByRules, languageOf } from '@loomlog/language/language'
import { isEvent, type LogEvent } from '@loomlog/schemas/events'

export interface LanguageCounts {
  readonly utterances: number
  /** Utterances in languages that the rules don't read. */
  readonly unread: number
  /** Counts of unread utterances by ISO 639-1 code, the most frequent first. */
  readonly languages: { readonly [language: string]: number }
}

/**
 * Newest records that `readLanguages` reads, over all partitions: enough for the state of a log, and fast in a large
 * one.
 */
const maxRead = 1_000

/** @param events in the order of each conversation */
function countLanguages(events: Iterable<LogEvent>): LanguageCounts {
  const counter = new LanguageCounter()
  counter.add(events)
  return counter.counts()
}

/** Counts events that come in several parts, with the language of each conversation in between. */
export class LanguageCounter {
  readonly #conversations = new Map<string, string | null>()
  readonly #byLanguage = new Map<string, number>()
  #utterances = 0

  /** @param events in the order of each conversation */
  add(events: Iterable<LogEvent>): void {
    for (const event of events) {
      if (!isEvent('UtteranceAppended', event)) continue
      this.#utterances++
      const { tenant, space, conversation, text } = event
      const key = JSON.stringify([tenant, space, conversation])
      const language = languageOf(text, this.#conversations.get(key) ?? null)
      this.#conversations.set(key, language)
      if (language !== null && !isReadByRules(language))
        this.#byLanguage.set(language, (this.#byLanguage.get(language) ?? 0) + 1)
    }
  }

  counts(): LanguageCounts {
    const languages = [...this.#byLanguage].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    return {
      utterances: this.#utterances,
      unread: languages.reduce((sum, [, count]) => sum + count, 0),
      languages: Object.fromEntries(languages),
    }
  }
}

/** Counts the newest utterances of the log; while the schema registry is away, those whose schema is known. */
export async function readLanguages({ log, codec }: Host): Promise<LanguageCounts> {
  const ends = await log.endOffsets('utterances')
  const newest = Math.ceil(maxRead / Math.max(1, ends.length))
  const from = new Map(ends.map((end, partition) => [partition, Math.max(0, end - newest)]))
  const events: LogEvent[] = []
  for await (const records of log.read({ topic: 'utterances', from, until: 'end' })) {
    for (const { value } of records) {
      const event = await codec.decodeOrNull(value).catch(nullIfLogAway)
      if (event !== null) events.push(event)
    }
  }
  return countLanguages(events)
}

function nullIfLogAway(error: unknown): null {
  if (isLoomlogError(error, 'log-unavailable')) return null
  throw error
}
