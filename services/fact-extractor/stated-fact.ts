/**
 * A fact of an answer with all its fields, before it has a place. The answer of a model states only a sentence and a
 * time: the other fields are read from these.
 */
import { isReadByRules, languageOf } from '@loomlog/language/language'
import { sentenceParts } from '@loomlog/language/sentence-parts'
import type { FactRecorded } from '@loomlog/schemas/events'
import type { FactRow } from './answer-rows.ts'
import { timeFields } from './fact-times.ts'
import type { ExtractedFact } from './task-types.ts'

export type StatedFact = Pick<
  FactRecorded,
  | 'text'
  | 'kind'
  | 'subject'
  | 'relation'
  | 'object'
  | 'when'
  | 'until'
  | 'location'
  | 'persons'
  | 'entities'
  | 'keywords'
>

/** The line and the speakers around a sentence. */
export interface Reading {
  readonly saidAt: number
  readonly participants: readonly string[]
  /** The text of its line, and the language before it: a sentence may be too short to tell its language. */
  readonly line: string
  readonly language: string | null
}

export function factOfRules({ sources: _, ...fact }: ExtractedFact): StatedFact {
  return { ...fact, until: null }
}

/** Words of a sentence's rest up to which its time follows without a comma. */
const shortRest = 5

export function factOfRow(
  { kind, time, subject, rest }: FactRow,
  { saidAt, participants, line, language }: Reading,
): StatedFact {
  const sentence = `${subject} ${rest}`
  const fields = time && timeFields(time, kind, saidAt)
  const isEnglish = [sentence, `${sentence}. ${line}`].some((text) => isReadByRules(languageOf(text, language)))
  const told = fields && (isEnglish ? withComma(fields.phrase, rest) : ` ${fields.neutral}`)
  const isTold = fields?.when != null && sentence.includes(fields.when.text)
  const parts = isEnglish
    ? sentenceParts(subject, rest, participants)
    : { relation: '', object: rest, location: null, persons: [], entities: [], keywords: [] }
  // The date is the value of an arrangement: `takes place on 7 May 2023`.
  const object =
    kind === 'plan' && fields && isEnglish && !isTold ? `${parts.object} ${fields.phrase}`.trim() : parts.object
  const speakers = participants.filter((name) => isNamedIn(sentence, name))
  return {
    text: `${sentence}${isTold ? '' : (told ?? '')}${/[!?]$/.test(sentence) && (isTold || !told) ? '' : '.'}`,
    kind,
    subject,
    ...parts,
    object,
    persons: [...new Set([...speakers, ...parts.persons])],
    entities: parts.entities.filter((name) => !speakers.some((speaker) => speaker.includes(name))),
    when: fields?.when ?? null,
    until: fields?.until ?? null,
  }
}

function withComma(phrase: string, rest: string): string {
  return rest.includes(',') || rest.split(' ').length > shortRest ? `, ${phrase}` : ` ${phrase}`
}

function isNamedIn(sentence: string, name: string): boolean {
  const at = sentence.indexOf(name)
  const isLetter = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign)
  return at >= 0 && !isLetter(sentence[at - 1]) && !isLetter(sentence[at + name.length])
}
