/**
 * Reads a question by rules: its stems, the time it names, the kind of answer it wants, and the question as a statement
 * in the first person, as its subject would say it: `When did Ann sell her boat?` is also searched as `I sell her
 * boat`. All of it is soft evidence and excludes no memory.
 */
import { findTimes, type TimeExpression } from '@loomlog/language/times'
import { stemsOf } from '../text/stems.ts'

/** Kinds of answers. A candidate with the time, number, place, person or reason that a question wants ranks higher. */
export const wantedAnswers = ['time', 'number', 'place', 'person', 'reason', 'list', 'guess'] as const
export type WantedAnswer = (typeof wantedAnswers)[number]

export interface Question {
  readonly text: string
  readonly stems: readonly string[]
  readonly times: readonly Pick<TimeExpression, 'from' | 'to'>[]
  readonly wants: ReadonlySet<WantedAnswer>
}

/** A verb after `what` or `which`: what follows is the subject of the question, not the thing that it asks for. */
const verb = String.raw`(?:is|was|has|had|do|does|did|can|could|will|would|should)\b`
/** A plural: `boats`, not `does`, `address` or `status`. */
const plural = String.raw`(?!(?:was|has|does|always)\b)\w*[^\Wsiu]s`
const cues: { readonly [want in WantedAnswer]: RegExp } = {
  time: /\bwhen\b|\b(?:what|which) (?:date|month|year|day)\b|\bhow long\b/i,
  number: /\bhow (?:many|much|often)\b/i,
  place: /\bwhere\b|\b(?:which|what) (?:city|country|place|state|town)\b/i,
  person: /\bwho\b|\bwhose\b/i,
  reason: /\bwhy\b|\breason\b/i,
  list: new RegExp(`\\b(?:what|which) (?!${verb})(?:\\w+ )?(?:${plural}|kind|type)\\b`, 'i'),
  guess: /\b(?:likely|might|considered|would)\b/i,
}
/** Longer texts are cut. */
export const maxQuestionChars = 2_000

/** @param at the time of the question, which its relative times count from */
export function questionFrom(query: string, at: number): Question {
  const text = query.slice(0, maxQuestionChars)
  return {
    text,
    stems: [...stemsOf(text).counts.keys()],
    times: findTimes(text, at),
    wants: new Set(wantedAnswers.filter((want) => cues[want].test(text))),
  }
}

/** Whether the question names a time that statements are compared with. */
export function asksForTime(query: string): boolean {
  return findTimes(query.slice(0, maxQuestionChars), 0).length > 0
}

const opening =
  /^(?:(?:in|on|at|for|to|from|with|by|of)\s+)?(?:what|which|when|where|who|whose|why|how)(?:\s+(?:kind|type|sort)s?\s+of)?(?:\s+(?:many|much|long|often))?\s*/i
const auxiliary = /\b(?:does|did|do|has|have|had|is|are|was|were|would|could|can|will)\b\s*/i
const possessive = /\b\p{Lu}\p{L}+['’]s\b/gu
/** A name within a sentence, not its first word. */
const name = /(?<![.!?]\s)\b\p{Lu}\p{L}+\b/u

/** Null if the query is a statement already, as far as rules can tell. */
export function asStatement(query: string): string | null {
  const text = query
    .slice(0, maxQuestionChars)
    .trim()
    .replace(/(?<![?.!])[?.!]+$/, '')
  const body = text.replace(opening, '')
  if (body === text && !/\?\s*$/.test(query)) return null
  const statement = body.replace(auxiliary, '').replace(possessive, 'my').replace(name, 'I').trim()
  return statement === '' || statement === text ? null : statement
}
