import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { ScoredMemory } from '../memory.ts'
import { readMemory } from '../search/stated-changes.ts'
import { bestFirst } from './merge-kinds.ts'
import { withNewerFirst } from './newer-first.ts'

interface Line {
  readonly text: string
  readonly score: number
  readonly speaker?: string
  /** A later message replaces it, or only these of its sentences. */
  readonly outdated?: 'all' | readonly string[]
}

/** The lines in the order of a result, uttered in the order given. */
function ordered(question: string, lines: readonly Line[]): readonly string[] {
  const scored = lines.map(({ text, score, speaker = 'Udo', outdated }, n): ScoredMemory => {
    const spoken = { conversation: 'c', at: n * 86_400_000, offset: n, method: null, sources: [`u${n}`] }
    const times = { valid: { from: null, to: null }, known: { from: 0, to: null } }
    return {
      id: `u${n}`,
      kind: 'utterance',
      space: 'a/b',
      text: `${speaker}: ${text}`,
      speaker,
      score,
      ...spoken,
      ...times,
      ...(outdated !== undefined && { replacedBy: ['v'], ...(outdated !== 'all' && { outdated }) }),
    }
  })
  return bestFirst(withNewerFirst(scored, question, { read: readMemory, moment: Number.POSITIVE_INFINITY })).map(
    ({ text }) => text.replace(/^\w+: /, ''),
  )
}

const older = { text: 'Hanno runs sales.', score: 0.5 }
const newer = { text: 'Kim took over sales from Hanno.', score: 0.2 }

it('a newer statement with a word of change comes before the older one that it may replace', () => {
  assert.deepEqual(ordered('Who runs sales?', [older, newer]), [newer.text, older.text])
})

it('the newest of several updates comes first, also where it only updates one that was far behind', () => {
  const chain = ['Hanno runs sales.', 'Kim took over sales.', 'Lena took over from Kim.']
  for (const scores of [
    [0.5, 0.3, 0.1],
    [0.5, 0.12, 0.3],
  ]) {
    const lines = chain.map((text, n) => ({ text, score: scores[n] ?? 0 }))
    assert.deepEqual(ordered('Who runs sales?', lines), chain.toReversed())
  }
})

it('a newer statement about the same person, but another matter, stays where it is', () => {
  const doctor = { text: "Rosa's doctor is Dr Amin.", score: 0.5 }
  for (const text of [
    'Rosa called the plumber.',
    'Rosa sold the bike.',
    'Rosa is back from Bergen now.',
    'Rosa left the party early.',
    'Rosa switched to decaf.',
  ])
    assert.deepEqual(ordered("Who is Rosa's doctor?", [doctor, { text, score: 0.2 }]), [doctor.text, text])
})

it('a newer statement about the same matter of a person comes first', () => {
  const pairs = [
    ["Who is Rosa's doctor?", "Rosa's doctor is Dr Amin.", "Rosa's doctor is Dr Cole these days."],
    ['Where does Rosa live?', 'Rosa lives in Lisbon.', 'Rosa moved to Porto.'],
    ['Where does Rosa work?', 'Rosa works at the harbour.', 'Rosa left the company in May.'],
    ['What does Anka play?', 'Anka plays bass.', 'Anka switched to guitar.'],
    ['What does Kofi drive?', 'Kofi drives a Golf.', 'Kofi drives a van now.'],
    ['Is Laura married?', 'Laura is engaged to Tom.', 'Laura and Tom split up.'],
    ['What do I drive?', 'I drive a Golf.', 'I sold the Golf.'],
  ] as const
  for (const [question, older, newer] of pairs) {
    const lines = [older, newer].map((text, n) => ({ text, score: n === 0 ? 0.5 : 0.2 }))
    assert.deepEqual(ordered(question, lines), [newer, older])
  }
})

it('a newer value comes first for a question in the past tense about the current one', () => {
  const release = [
    { text: 'The release is on 4 May.', score: 0.5 },
    { text: 'The release is on 11 May.', score: 0.3 },
  ]
  for (const question of ['When was the release moved to?', 'What date did we agree on for the release?'])
    assert.deepEqual(ordered(question, release), ['The release is on 11 May.', 'The release is on 4 May.'])
  for (const question of ['When was the release before?', 'What was the original date of the release?'])
    assert.deepEqual(ordered(question, release), ['The release is on 4 May.', 'The release is on 11 May.'])
})

it('a message with an outdated sentence may hold the newest value of another matter', () => {
  const home = { text: 'Our gate code is 4410.', score: 0.5 }
  const rent = 'The rent is 600 euros.'
  const both = { text: `Our gate code is 5521. ${rent}`, score: 0.3, outdated: [rent] }
  assert.deepEqual(ordered('What is the gate code?', [home, both]), [both.text, home.text])
  assert.deepEqual(ordered('What is the gate code?', [home, { ...both, outdated: 'all' }]), [home.text, both.text])
})

it('an outdated sentence of a message brings no newer statement before it', () => {
  const rent = 'The rent is 600 euros.'
  const home = { text: `Our gate code is 5521. ${rent}`, score: 0.5, outdated: [rent] }
  const raised = { text: 'The rent is 650 euros.', score: 0.2 }
  assert.deepEqual(ordered('What is the gate code?', [home, raised]), [home.text, raised.text])
})

it('a question about the past keeps the order of scores', () => {
  assert.deepEqual(ordered('Who was running sales before?', [older, newer]), [older.text, newer.text])
})

it('a newer statement about something else, or about how it was, stays where it is', () => {
  const others = ['Kim took over the kitchen.', 'Sales used to be with Kim.', 'If Kim took over sales, I would leave.']
  for (const text of others) {
    assert.deepEqual(ordered('Who runs sales?', [older, { text, score: 0.2 }]), [older.text, text])
  }
})

it('a newer statement that hardly fits the question stays where it is', () => {
  assert.deepEqual(ordered('Who runs sales?', [older, { ...newer, score: 0.05 }]), [older.text, newer.text])
})

it('in a language without rules the newer statement with as many words of the question comes first', () => {
  const [before, after] = ['El hotel queda en Faro.', 'Al final el hotel queda en Tavira.']
  const lines = [
    { text: before, score: 0.5 },
    { text: after, score: 0.2 },
  ]
  assert.deepEqual(ordered('¿Dónde queda el hotel?', lines), [after, before])
  const ofAnother = lines.map((line, n) => ({ ...line, speaker: n === 0 ? 'Uma' : 'Vega' }))
  assert.deepEqual(ordered('¿Dónde queda el hotel?', ofAnother), [before, after])
  assert.deepEqual(ordered('hotel', lines), [after, before])
})

it('the words of the question bring no newer English statement first', () => {
  const lines = [
    { text: 'The dentist of Ann is in Mill Street and she likes him.', score: 0.5 },
    { text: 'The dentist told Ann that he likes the new chair.', score: 0.3 },
  ]
  for (const question of ['Ann dentist', 'dentist', 'dentist Ann?', "Tell me about Ann's dentist"])
    assert.deepEqual(
      ordered(question, lines),
      lines.map(({ text }) => text),
    )
})

it('a question whose words look English brings the newer statement of another language first', () => {
  const pairs = [
    ['Qual a cor do carro?', 'A cor do carro da empresa é vermelha.', 'Agora a cor do carro da empresa é azul escuro.'],
    [
      'Was kostet die Miete?',
      'Die Miete kostet sechshundert Euro im Monat.',
      'Ab Mai kostet die Miete siebenhundert Euro.',
    ],
    [
      'Waar is het hotel?',
      'Het hotel is dicht bij het station in Utrecht.',
      'Het hotel is toch dicht bij de haven in Rotterdam.',
    ],
  ] as const
  for (const [question, older, newer] of pairs) {
    const lines = [older, newer].map((text, n) => ({ text, score: n === 0 ? 0.5 : 0.2 }))
    assert.deepEqual(ordered(question, lines), [newer, older])
  }
})

it('an older statement with no word of the question keeps its place', () => {
  const lines = [
    { text: 'Cenamos cada viernes en casa de mi hermana.', score: 0.5 },
    { text: 'El hotel queda cerca de la playa de Tavira.', score: 0.2 },
  ]
  assert.deepEqual(
    ordered('¿Dónde queda el hotel?', lines),
    lines.map(({ text }) => text),
  )
})
