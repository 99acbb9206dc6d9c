/**
 * People with three facts in one utterance, one of which is corrected; and a fake model whose name selects wording and
 * boundaries. Every value is a unique word, so that each of its occurrences can be found.
 */
import type { FakeRequest } from '@loomlog/models/fake-endpoint'
import type { Json } from '@loomlog/schemas/ids'
import { type Batch, batchIn, factRow, firstLinks, type Line, linesOf } from './lines.ts'

export const models = {
  first: 'fake-first',
  boundariesMoved: 'fake-boundaries',
  factsReworded: 'fake-words',
  everythingChanged: 'fake-everything',
} as const

export interface Plant {
  readonly number: number
  readonly person: string
  /** A city, a firm and a dog. */
  readonly values: readonly [string, string, string]
  /** The index of the corrected fact. */
  readonly corrected: 0 | 1 | 2
  /** Null: it is retracted without a replacement. */
  readonly better: string | null
  readonly by: 'fact' | 'entry'
}

export function plants(count: number): readonly Plant[] {
  return Array.from({ length: count }, (_, number) => {
    const corrected = (number % 3) as Plant['corrected']
    const by = number % 4 === 3 ? 'entry' : 'fact'
    const values = [`Ci${word(number)}`, `Fi${word(number)}`, `Do${word(number)}`] as const
    const better = number % 10 === 9 ? null : `Ne${word(number)}`
    return { number, person: `Pe${word(number)}`, values, corrected, better, by }
  })
}

/** A word that is part of no other, and that no stemmer shortens. */
function word(number: number): string {
  const letter = (at: number) => 'bdfgklmprtvz'[at % 12] ?? 'b'
  return `${letter(number)}a${letter(Math.floor(number / 12))}oko`
}

export function utteranceOf({ values: [city, firm, dog] }: Plant): string {
  return `I live in ${city}, I work at ${firm}, and I adopted a dog named ${dog}.`
}

const planted = /^I live in (\w+), I work at (\w+), and I adopted a dog named (\w+)\.$/

type Phrase = (value: string) => readonly [relation: string, object: string]
/** The statements about a city, a firm and a dog. */
type Wording = readonly [Phrase, Phrase, Phrase]

const city: Phrase = (value) => ['lives in', value]
const firm: Phrase = (value) => ['works at', value]
const dog: Phrase = (value) => ['adopted', `a dog named ${value}`]
const plain: Wording = [city, firm, dog]

const wordings: { readonly [model: string]: Wording } = {
  [models.factsReworded]: [
    (value) => ['resides', `these days in ${value}`],
    (value) => ['has', `a job at ${value}`],
    (value) => ['took in', `a dog called ${value}`],
  ],
  [models.everythingChanged]: [
    (value) => ['calls', `${value} home`],
    (value) => ['is employed', `by a company, ${value}`],
    (value) => ['gave a home to', `${value}, a stray dog`],
  ],
}

export function sentenceFor(
  model: string,
  plant: Pick<Plant, 'person'>,
  which: Plant['corrected'],
  value: string,
): string {
  return `${plant.person} ${phrase(model, which, value).join(' ')}.`
}

function phrase(model: string, which: Plant['corrected'], value: string): ReturnType<Phrase> {
  return (wordings[model] ?? plain)[which](value)
}

export function plantedAnswer(request: FakeRequest): Json {
  switch (request.schemaName) {
    case 'find-shifts':
      return { new: openings(request.model, String(request.input)) }
    case 'extract-facts':
      return { rows: linesOf(String(request.input)).flatMap((line) => facts(request.model, line)) }
    case 'verify-links':
      return { links: firstLinks(String(request.input)) }
    case 'consolidate-batch':
      return planFor(batchIn(String(request.input)))
    default:
      throw new Error(`no planted answer for ${request.schemaName}`)
  }
}

/** The title and what the document holds quote facts, so that they would show a fact that is retracted later. */
function planFor({ facts, documents }: Batch): Json {
  const texts = facts.map(({ text }) => text.replaceAll('|', ' '))
  const words = `${(texts[0] ?? 'Nothing').slice(0, 100)} | ${texts.join(' ').slice(-150)}`
  const [known] = documents
  const rows = facts.map(({ label }) => `${label} Phrase+`)
  return { rows: known ? [known.label, ...rows, `t ${known.label} ${words}`] : [`n1 ${words}`, ...rows] }
}

/** The lines in question that begin a box: the first line after each planted one; none; or the second line after it. */
function openings(model: string, text: string): readonly string[] {
  if (model === models.boundariesMoved) return []
  const first = model === models.everythingChanged ? 'Hm' : 'Well'
  const rows = text.split('\n').flatMap((row) => /^(\d+) [^:]*: (.*)$/.exec(row)?.slice(1, 3) ?? [])
  return rows.flatMap((number, i) => (i % 2 === 0 && rows[i + 1]?.startsWith(first) ? [`${number} A talk`] : []))
}

function facts(model: string, { label, speaker, text }: Line): readonly string[] {
  const values = planted.exec(text)?.slice(1) ?? []
  return values.map((value, which) => {
    const rest = phrase(model, which as Plant['corrected'], value).join(' ')
    const kind = which === 2 ? 'event' : 'state'
    return factRow({ label, kind, subject: speaker, rest })
  })
}
