/**
 * Synthetic memories from a seed: sentences of people, places, things and dates, with a long tail of rare words, as in
 * conversations. Their vectors are random, so no embedder runs: the memories serve measurements of time, not of
 * quality.
 */
import { hash } from '@loomlog/schemas/ids'
import type { StoredRow } from '@loomlog/views/row'
import { labelOf } from '@loomlog/views/row'
import { emptyRow, type Table } from '@loomlog/views/table'
import { documents } from '@loomlog/views/tables/documents'
import { links } from '@loomlog/views/tables/links'
import { utterances } from '@loomlog/views/tables/utterances'

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

/** Number of rare words. The n-th is about n times rarer than the first. */
const rareWords = 40_000

function sentence(random: () => number): string {
  const clause = () =>
    `${pick(people, random)} ${pick(doings, random)} ${pick(things, random)} ${rare(random)} at ${pick(places, random)} ${pick(times, random)}`
  const clauses = 1 + Math.floor(random() * 3)
  const spoken = Array.from({ length: clauses }, clause)
  return `${spoken.join(` ${pick(joints, random)} `)}${random() < 0.15 ? '?' : '.'}`
}

/** A question about these sentences: a name, a few common words, sometimes a rare one. */
export function question(random: () => number): string {
  const about = random() < 0.5 ? rare(random) : pick(things, random)
  const [person, doing, place] = [pick(people, random), pick(doings, random), pick(places, random)]
  return ['What did', person, 'say about', about, doing, 'at', `${place}?`].join(' ')
}

export function unitVector(dimensions: number, random: () => number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5)
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  return vector.map((value) => value / length)
}

/** Of a hundred memories, the number in each table: about the shares of LoCoMo's conversations. */
const sharesPercent: { readonly [table: string]: number } = {
  utterances: 50,
  facts: 30,
  boxes: 9,
  entries: 5,
  events: 4,
  links: 1,
  documents: 1,
}

export function shareOf(table: Table): number {
  return sharesPercent[table.name] ?? 0
}

/** The `n`-th memory of a table: the same id, words and sources for the same random numbers. */
export function memoryRow(table: Table, n: number, space: string, dimensions: number, random: () => number): StoredRow {
  const speaker = pick(people, random)
  const text = sentence(random)
  const id = hash([table.name, n])
  const at = Date.UTC(2025, 0, 1) + n * 60_000
  const source = hash(['utterances', Math.floor((n * shareOf(utterances)) / shareOf(table))])
  const vector = table === (links as Table) || table === (documents as Table) ? null : unitVector(dimensions, random)
  const isUtterance = table === (utterances as Table)
  return {
    ...emptyRow(table),
    id,
    space,
    conversation: `session ${Math.floor(n / 20)}`,
    speaker,
    speakers: [speaker.toLowerCase()],
    text: `${speaker}: ${text}`,
    sources: [isUtterance ? id : source],
    seq: n,
    offset: n,
    at,
    knownFrom: at,
    vector,
    validFrom: isUtterance ? null : at,
    lineage: isUtterance ? null : { derivation: 'synthetic', method: 'rules', causes: [source], completions: [] },
    ...ownColumns[table.name]?.({ id, n, text, speaker, at, source }),
  }
}

interface SyntheticMemory {
  readonly id: string
  readonly n: number
  readonly text: string
  readonly speaker: string
  readonly at: number
  readonly source: string
}

const lines = ({ source, speaker, at }: SyntheticMemory) =>
  Array.from({ length: 5 }, (_, seq) => {
    return { id: seq === 0 ? source : hash([source, seq]), seq, speaker, at, chars: 0 }
  })

const ownColumns: { readonly [table: string]: (made: SyntheticMemory) => object } = {
  utterances: () => ({ role: 'human', labels: [labelOf('channel', 'synthetic')] }),
  boxes: (memory) => ({
    topic: 'a boat',
    keywords: ['boat', 'harbour'],
    cut: 'shift',
    startedAt: memory.at,
    endedAt: memory.at,
    lines: lines(memory),
    sources: lines(memory).map(({ id }) => id),
  }),
  facts: ({ speaker, source }) => ({
    box: source,
    kind: 'state',
    subject: speaker,
    relation: 'said',
    object: 'a boat',
    role: 'human',
    persons: [speaker],
    keywords: ['boat'],
  }),
  events: ({ speaker, source }) => ({ box: source, persons: [speaker], keywords: ['boat'] }),
  links: ({ id, n, source }) => ({
    trace: hash(Math.floor(n / 4)),
    event: id,
    box: source,
    score: 1,
    position: n % 4,
    sources: [],
  }),
  entries: ({ n, text }) => ({
    document: hash(['documents', Math.floor(n / 5)]),
    kind: 'topic',
    title: 'Boats',
    heading: 'Home',
    statement: text,
    role: 'human',
    facts: [hash(['facts', n * 6])],
  }),
  documents: () => ({ kind: 'topic', title: 'Boats', summary: 'Of boats.', entries: 5, sources: [] }),
}

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)] as T
}

/** A rank, roughly by a Zipf distribution: the exponential of a uniform number. */
function rare(random: () => number): string {
  let rank = Math.floor(rareWords ** random())
  let word = ''
  do {
    word += syllables[rank % syllables.length]
    rank = Math.floor(rank / syllables.length)
  } while (rank > 0)
  return `${word}o`
}
