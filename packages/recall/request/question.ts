/**
 * What a question requires, read by rules: the stems it is about, the time it names, the kind of answer it wants, and the same question as a
 * statement in the first person, which is how people say what is asked about them: `When did Ann sell her boat?` is looked for as `I sell her
 * boat` as well. Nothing of it excludes anything: all are soft evidence.
 */
import { type FoundTime, findTimes } from '@loomlog/language/times'
import { stemsOf } from '../text/stems.ts'

/** What an answer of this kind holds is a cue: a time, a number, a name, a reason. */
export const wants = ['time', 'number', 'place', 'person', 'reason', 'list', 'guess'] as const
export type Want = (typeof wants)[number]

export interface Question {
  readonly text: string
  readonly stems: readonly string[]
  readonly times: readonly Pick<FoundTime, 'from' | 'to'>[]
  readonly wants: ReadonlySet<Want>
}

const cues: { readonly [want in Want]: RegExp } = {
  time: /\bwhen\b|\b(?:what|which) (?:date|month|year|day)\b|\bhow long\b/i,
  number: /\bhow (?:many|much|often)\b/i,
  place: /\bwhere\b|\b(?:which|what) (?:city|country|place|state|town)\b/i,
  person: /\bwho\b|\bwhose\b/i,
  reason: /\bwhy\b|\breason\b/i,
  list: /\b(?:what|which) (?:\w+ )?(?:\w+s|kind|type|activities)\b/i,
  guess: /\b(?:likely|might|considered|would)\b/i,
}
/** Longer ones hold no more of a question. */
const maxQuestionChars = 2_000

/** @param at when it is asked: what its relative times are counted from */
export function questionFrom(query: string, at: number): Question {
  const text = query.slice(0, maxQuestionChars)
  return {
    text,
    stems: [...stemsOf(text).counts.keys()],
    times: findTimes(text, at),
    wants: new Set(wants.filter((want) => cues[want].test(text))),
  }
}

const opening =
  /^(?:(?:in|on|at|for|to|from|with|by|of)\s+)?(?:what|which|when|where|who|whose|why|how)(?:\s+(?:kind|type|sort)s?\s+of)?(?:\s+(?:many|much|long|often))?\s*/i
const auxiliary = /\b(?:does|did|do|has|have|had|is|are|was|were|would|could|can|will)\b\s*/i
const possessive = /\b\p{Lu}\p{L}+['’]s\b/gu
/** A name within a sentence: its first word is behind us. */
const name = /(?<![.!?]\s)\b\p{Lu}\p{L}+\b/u

/** Null where it is a statement already, as far as can be seen. */
export function asStatement(query: string): string | null {
  const text = query
    .slice(0, maxQuestionChars)
    .trim()
    .replace(/[?.!]+$/, '')
  const body = text.replace(opening, '')
  if (body === text && !/\?\s*$/.test(query)) return null
  const told = body.replace(auxiliary, '').replace(possessive, 'my').replace(name, 'I').trim()
  return told === '' || told === text ? null : told
}
