/**
 * Memories that nobody had, from a seed: sentences of people, places, things and dates, with a long tail of rare words, as
 * conversations have it. Their vectors are random unit vectors, so that nothing has to be embedded: good for times, not for quality.
 */
import { hash } from '@loomlog/schemas/ids'
import type { TableName } from '@loomlog/views/catalogue'
import type { Row } from '@loomlog/views/row'

const people = [
  'Maya',
  'Ada',
  'Jon',
  'Caroline',
  'Melanie',
  'Nate',
  'Joanna',
  'Tim',
  'Deborah',
  'Gina',
  'Sven',
  'Amara',
]
const places = [
  'Porto',
  'the harbour',
  'Lisbon',
  'the studio',
  'Berlin',
  'the clinic',
  'school',
  'the lake',
  'Kyoto',
  'the office',
]
const things = [
  'a sailing boat',
  'the old piano',
  'her thesis',
  'a watercolour',
  'the garden',
  'a puppy',
  'the marathon',
  'his camera',
]
const doings = [
  'bought',
  'sold',
  'painted',
  'talked about',
  'lost',
  'repaired',
  'dreamed of',
  'showed us',
  'signed up for',
  'missed',
]
const times = [
  'last week',
  'in March',
  'on Friday',
  'two years ago',
  'this summer',
  'before the trip',
  'yesterday',
  'in 2023',
]
const joints = ['and then', 'because', 'although', 'while', 'so', 'which is why']
const syllables = [
  'ka',
  'ro',
  'mi',
  'len',
  'tas',
  'vor',
  'di',
  'nu',
  'sel',
  'bra',
  'pho',
  'gen',
  'ly',
  'mor',
  'qui',
  'zan',
]

/** Rare words there are; the n-th is about n times rarer than the first. */
const rareWords = 40_000

function sentence(random: () => number): string {
  const clause = () =>
    `${pick(people, random)} ${pick(doings, random)} ${pick(things, random)} ${rare(random)} at ${pick(places, random)} ${pick(times, random)}`
  const clauses = 1 + Math.floor(random() * 3)
  const said = Array.from({ length: clauses }, clause)
  return `${said.join(` ${pick(joints, random)} `)}${random() < 0.15 ? '?' : '.'}`
}

/** A question about such sentences: a name, a few common words, sometimes a rare one. */
export function question(random: () => number): string {
  const about = random() < 0.5 ? rare(random) : pick(things, random)
  return `What did ${pick(people, random)} say about ${about} ${pick(doings, random)} at ${pick(places, random)}?`
}

export function unitVector(dimensions: number, random: () => number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5)
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  return vector.map((value) => value / length)
}

/** Of a hundred memories, so many stand in each table: about as many as LoCoMo's conversations give. */
export const shares: { readonly [table in TableName]: number } = {
  ...{ utterances: 50, facts: 30, boxes: 9, entries: 5, events: 4, links: 1, documents: 1 },
}

/** The `n`-th memory of a table: the same id, words and sources in every run with the same chance. */
export function memoryRow(table: TableName, n: number, space: string, dimensions: number, random: () => number): Row {
  const speaker = pick(people, random)
  const text = sentence(random)
  const id = hash([table, n])
  const at = Date.UTC(2025, 0, 1) + n * 60_000
  const source = hash(['utterances', Math.floor((n * shares.utterances) / shares[table])])
  const lineage = { derivation: 'synthetic', method: 'rules', causes: [source], completions: [] }
  const vector = table === 'links' || table === 'documents' ? null : unitVector(dimensions, random)
  const said = {
    ...{ id, space, conversation: `session ${Math.floor(n / 20)}`, speaker, text: `${speaker}: ${text}` },
    at,
  }
  const payload = JSON.stringify(payloads[table]({ id, n, text, speaker, at, source, lineage }))
  return {
    ...{ ...said, payload, seq: n, ordinal: 0, offset: n, vector, deleted: false },
    ...{ validFrom: table === 'utterances' ? null : at, validTo: null, knownFrom: at, knownTo: null },
  }
}

interface Made {
  readonly id: string
  readonly n: number
  readonly text: string
  readonly speaker: string
  readonly at: number
  readonly source: string
  readonly lineage: object
}

const payloads: { readonly [table in TableName]: (made: Made) => object } = {
  utterances: ({ text }) => ({ role: 'human', text, attachments: [], metadata: { channel: 'synthetic' } }),
  boxes: ({ speaker, at, source, lineage }) => ({
    ...{ topic: 'a boat', keywords: ['boat', 'harbour'], cut: 'shift', startedAt: at, endedAt: at, lineage },
    utterances: Array.from({ length: 5 }, (_, seq) => ({
      id: seq === 0 ? source : hash([source, seq]),
      seq,
      speaker,
      at,
    })),
  }),
  facts: ({ speaker, source, lineage }) => ({
    ...{ box: source, kind: 'state', subject: speaker, relation: 'said', object: 'a boat', role: 'human', when: null },
    ...{ location: null, persons: [speaker], entities: [], keywords: ['boat'], sources: [source], lineage },
  }),
  events: ({ speaker, source, lineage }) => ({
    ...{ box: source, when: null, persons: [speaker], keywords: ['boat'], sources: [source], lineage },
  }),
  links: ({ id, n, source, lineage }) => ({
    ...{
      trace: hash(Math.floor(n / 4)),
      event: id,
      box: source,
      previous: null,
      title: 'a boat',
      score: 1,
      position: n % 4,
    },
    lineage,
  }),
  entries: ({ n, text, source, lineage }) => ({
    ...{
      document: hash(['documents', Math.floor(n / 5)]),
      kind: 'topic',
      title: 'Boats',
      heading: 'Home',
      text,
      when: null,
    },
    ...{ role: 'human', facts: [hash(['facts', n * 6])], sources: [source], lineage },
  }),
  documents: ({ lineage }) => ({
    kind: 'topic',
    entity: null,
    title: 'Boats',
    summary: 'Of boats.',
    entries: 5,
    lineage,
  }),
}

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)] as T
}

/** Zipf, near enough: the rank is an exponential of a uniform number. */
function rare(random: () => number): string {
  let rank = Math.floor(rareWords ** random())
  let word = ''
  do {
    word += syllables[rank % syllables.length]
    rank = Math.floor(rank / syllables.length)
  } while (rank > 0)
  return `${word}o`
}
