/**
 * Descriptions by a model that quote a retracted fact: they have a name or a number of it that no entry of their
 * document has. A prompt asks for titles and kinds of things without values, and an answer may have them all the same,
 * also of a fact in another document.
 */

import { terms } from '@loomlog/language/terms'
import { type Effects, get, range } from '@loomlog/runtime/step'
import { byRules } from '../changes.ts'
import { signature } from '../record/repetition.ts'
import { documents, type Entry, entries } from '../state.ts'
import { documentsWithTerm } from './term-index.ts'

/** The most entries of a document that are compared. */
const maxRead = 1_000

/** @param fact whose entry is gone already */
export function* documentsQuoting({ text, subject }: Pick<Entry, 'text' | 'subject'>): Effects<ReadonlySet<string>> {
  const own = new Set(terms(subject))
  const values = terms([...signature(text).exact].join(' ')).filter((term) => !own.has(term))
  const found = new Set<string>()
  for (const value of new Set(values)) {
    for (const id of yield* documentsWithTerm(value)) {
      if (!found.has(id) && (yield* quotes(id, value))) found.add(id)
    }
  }
  return found
}

function* quotes(id: string, value: string): Effects<boolean> {
  const document = yield* get(documents, id)
  if (document === null || document.describedBy === byRules.by) return false
  if (!terms(`${document.title} ${document.summary}`).includes(value)) return false
  const held = yield* range(entries, `${id}/`, maxRead)
  return !held.some(([, { text, subject }]) => terms(`${subject} ${text}`).includes(value))
}
