/**
 * What speaks for each candidate, as numbers that mean the same in every memory: shares of the best candidate's value and places, not raw
 * scores. The names of speakers count apart from other words, because a question about Ann is answered by Ann. `weights.json` holds a weight for
 * each, by name.
 */

import type { Question } from '../request/question.ts'
import type { Candidate } from '../search/candidates.ts'
import { stemsOf } from '../text/stems.ts'
import { WordsOfPool } from './bm25.ts'
import { column, Neighbourhood, places, shares, type Values } from './columns.ts'
import { cues, forms, timely } from './cues.ts'

/** By name, a value for each candidate. */
export type Features = ReadonlyMap<string, Values>

/** How much what stands around counts, by how far away it is. */
const around = {
  itself: [1],
  beside: [1, 1],
  wide: [1, 1, 1, 1],
  fading: [1, 0.5, 0.25, 0.125, 0.0625, 0.03125],
  reached: [1, 0.7, 0.49, 0.343, 0.2401],
} as const

export function featuresOf(question: Question, pool: readonly Candidate[]): Features {
  const { named, names, about } = subjectOf(question, pool)
  // What nobody said is of whom it tells, not of who added it.
  const isOfNamed = ({ memory, stems }: Candidate) =>
    memory.kind === 'utterance' ? named.has(memory.speaker) : [...names].some((name) => stems.counts.has(name))
  const near = new Neighbourhood(pool)
  const words = new WordsOfPool(pool, near)
  const wanted = new Map(about.map((stem) => [stem, 1]))
  const alone = words.bm25(wanted, around.itself)
  const held = words.held(about, around.reached)
  const cosine = column(pool, ({ cosines }) => cosines[0] ?? 0)
  const told = column(pool, ({ cosines }) => cosines[1] ?? cosines[0] ?? 0)
  const factCosine = column(pool, ({ factCosine }) => factCosine)
  const answersQuestion = near.beside(
    column(pool, ({ words }) => Number(words.includes('?'))),
    -1,
  )
  const ofQuestion = (values: Values) => near.beside(values, -1).map((value, at) => value * (answersQuestion[at] ?? 0))
  const promising = shares(alone).map((share, at) => share + 0.6 * (cosine[at] ?? 0))
  const known = new Set([...about, ...names])
  return new Map<string, Values>([
    ['words', shares(alone)],
    ['words place', places(alone)],
    ['words ±1 place', places(words.bm25(wanted, around.beside))],
    ['words ±3', shares(words.bm25(wanted, around.wide))],
    ['words around', shares(words.bm25(wanted, around.fading))],
    ['words held around', held],
    ['most words held around', held.map((share) => share ** 2)],
    ['words of the question before', shares(ofQuestion(alone))],
    ['widened words', shares(words.bm25(words.telling(promising, known), around.itself))],
    ['conversation words', shares(words.bm25OfConversation(wanted))],
    ['conversation best words', shares(near.best(alone))],
    ['conversation meaning', shares(near.best(told))],
    ['meaning', cosine],
    ['meaning share', shares(cosine)],
    ['meaning ±1', shares(near.mean(cosine, 1))],
    ['meaning ±3', shares(near.mean(cosine, 3))],
    ['meaning before', shares(near.beside(cosine, -1))],
    ['meaning after', shares(near.beside(cosine, 1))],
    ['meaning of the question before', shares(ofQuestion(cosine))],
    ['told', told],
    ['told share', shares(told)],
    ['told ±1', shares(near.mean(told, 1))],
    ['fact meaning', shares(factCosine)],
    ['fact meaning place', places(factCosine)],
    ['event meaning', shares(column(pool, ({ eventCosine }) => eventCosine))],
    ['speaker named', column(pool, (candidate) => Number(isOfNamed(candidate)))],
    ['other speaker named', column(pool, (candidate) => Number(named.size > 0 && !isOfNamed(candidate)))],
    ['rarity', words.meanRarity()],
    ...forms(pool, near),
    ...timely(question, pool),
    ...cues(question, pool),
  ])
}

/** Whom a question names, of those who speak, and what it is about besides. */
function subjectOf(question: Question, pool: readonly Candidate[]) {
  const said = pool.filter(({ memory }) => memory.kind === 'utterance')
  const speakers = new Map([...new Set(said.map(({ memory }) => memory.speaker))].map((name) => [name, stems(name)]))
  const asked = new Set(question.stems)
  const named = new Set([...speakers].filter(([, name]) => name.some((stem) => asked.has(stem))).map(([name]) => name))
  const names = new Set([...named].flatMap((name) => speakers.get(name) ?? []))
  return { named, names, about: question.stems.filter((stem) => !names.has(stem)) }
}

function stems(text: string): readonly string[] {
  return [...stemsOf(text).counts.keys()]
}
