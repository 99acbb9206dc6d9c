/**
 * What a candidate holds, whatever the question's words: a time, a number, a name or a reason where one is asked for; whether it tells of the
 * time that is asked about; and how much it tells at all.
 */
import { findTimes } from '@loomlog/language/times'
import type { Question, Want } from '../request/question.ts'
import type { Candidate } from '../search/candidates.ts'
import { column, type Neighbourhood, type Values } from './columns.ts'

type Named = readonly (readonly [string, Values])[]

const day = 86_400_000
/** What is told of a time is told on that day or within a week after it. */
const toldWithin = 8 * day

/** Does it tell of the time that is asked about, or was it said then? */
export function timely({ times }: Question, pool: readonly Candidate[]): Named {
  const told = times.length === 0 ? [] : pool.map(({ words, memory }) => findTimes(words, memory.at ?? 0))
  const meets = pool.map((_, at) =>
    times.some((time) => told[at]?.some((other) => other.from < time.to && time.from < other.to)),
  )
  const saidThen = pool.map(({ memory: { at } }) =>
    times.some((time) => at !== null && at >= time.from && at < time.to + toldWithin),
  )
  return [
    ['tells of the time', meets.map(Number)],
    ['said at the time', saidThen.map((is, at) => Number(is && !meets[at]))],
  ]
}

const timeWords =
  /\b(?:\d{4}|yesterday|today|tomorrow|tonight|ago|last|next|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|weeks?|months?|years?)\b/i
/** A capital within a sentence. */
const name = /[a-z,] \p{Lu}\p{Ll}{2,}/u
const holds: { readonly [want in Exclude<Want, 'list' | 'guess'>]: RegExp } = {
  time: timeWords,
  number: /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|couple|few|once|twice)\b/i,
  place: name,
  person: name,
  reason: /\b(?:because|since|so that|to help|wanted|reason|inspired)\b/i,
}

export function cues({ wants }: Question, pool: readonly Candidate[]): Named {
  const kinds = Object.entries(holds) as [Want, RegExp][]
  return [
    ['holds a time', column(pool, ({ words }) => Number(timeWords.test(words)))],
    ...kinds.map(([want, pattern]) => {
      const asked = wants.has(want)
      return [`holds the ${want} asked for`, column(pool, ({ words }) => Number(asked && pattern.test(words)))] as const
    }),
  ]
}

const names = new RegExp(name, 'gu')
const mostNames = 3

/** What it is, not what speaks for it. */
export function forms(pool: readonly Candidate[], near: Neighbourhood): Named {
  const endsAsking = column(pool, ({ words }) => Number(words.trimEnd().endsWith('?')))
  return [
    ['length', column(pool, ({ stems }) => Math.log(1 + stems.length))],
    ['size', column(pool, ({ words }) => Math.log(1 + words.length))],
    ['names', column(pool, ({ words }) => Math.min(mostNames, words.match(names)?.length ?? 0))],
    ['quotes', column(pool, ({ words }) => Number(words.includes('"')))],
    ['ends asking', column(pool, ({ words }) => Number(/\?\s*(?:\[image.*)?$/.test(words)))],
    ['shows an image', column(pool, ({ words }) => Number(words.includes('[image: ')))],
    ['is answered', near.beside(endsAsking, -1)],
  ]
}
