import { strictEqual as equal, ok, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import { terms } from '@loomlog/language/terms'
import { type HarnessOptions, harness } from '@loomlog/runtime/harness'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { topicLoom } from './processor.ts'
import { type FeatureName, featureNames, shiftFeatures, shiftScore } from './shift-score.ts'
import { shiftWeights } from './shift-weights.ts'
import type { Parameters } from './step.ts'
import type { Description, ShiftInput } from './task-types.ts'
import { describeBox } from './tasks.ts'

/** Replaces the embedder: similarity grows with shared words, and unrelated texts are a little similar, as with a real one. */
function byWords(text: string): readonly number[] {
  const vector = new Array<number>(64).fill(0)
  for (const term of terms(text)) {
    const place = [...term].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 64, 7)
    vector[place] = 100
  }
  vector[64] = 80
  return vector
}

function score(lines: readonly string[], next: string): number {
  const window = lines.map((text) => ({ speaker: 'Ana', text }))
  return shiftScore({ window, next: { speaker: 'Ben', text: next } }, [...lines, next].map(byWords))
}

/** The boxes of a dialogue in which Ana and Ben alternate, as lists of indices. */
function boxed(...lines: readonly string[]): Promise<number[][]> {
  return boxedWith({ embedding: byWords }, lines)
}

async function boxedWith(options: HarnessOptions<Parameters>, lines: readonly string[]): Promise<number[][]> {
  const events = lines.map((text, seq): UtteranceAppended & { readonly seq: number } => {
    const at = Date.UTC(2026, 2, 2, 9, seq)
    const place = { tenant: 'acme', space: 'team', conversation: 'chat', id: `u${seq}`, seq, at, appendedAt: at }
    const speaker = seq % 2 === 0 ? 'Ana' : 'Ben'
    return {
      type: 'UtteranceAppended',
      ...place,
      speaker,
      role: 'human',
      text,
      attachments: [],
      metadata: {},
      keyId: null,
    }
  })
  const last = events.at(-1)
  if (!last) return []
  const { id: afterUtterance, tenant, space, conversation, at, appendedAt } = last
  const pause = { type: 'ConversationPaused', id: 'p', tenant, space, conversation, at, appendedAt } as const
  const { give } = harness(topicLoom, options)
  const sealed = await give(...events, { ...pause, afterUtterance, seq: lines.length })
  return sealed.map((event) => (event.type === 'BoxSealed' ? event.utterances.map((utterance) => utterance.seq) : []))
}

const boat = ['I bought a wooden boat last week.', 'A wooden boat! Does the boat have a sail?']

test('an answer to the question is no shift, and a new question on another matter is one', () => {
  const { partialScore } = topicLoom.parameters
  ok(score(boat, 'It has one, the sail is red.') < partialScore)
  const [bought = '', asked = ''] = boat
  ok(score([bought, asked], 'A red one.') < score([bought, asked.replace('?', '.')], 'A red one.'))
  ok(
    score([boat[0] ?? '', 'Congratulations on the boat.'], 'How is your mother doing after her operation?') >
      partialScore,
  )
})

test('a greeting after a goodbye is a shift', () => {
  ok(
    score(['I am off to bed.', 'Good night, talk to you soon!'], 'Hey Ben! How have you been?') >
      topicLoom.parameters.shiftScore,
  )
})

test('a greeting alone makes a shift likelier', () => {
  const window = ['The sail is red.', 'Nice.']
  ok(score(window, 'Hey, the mast is white.') > score(window, 'And the mast is white.'))
})

test('a message similar to either line of the window is similar to the window', () => {
  const texts = ['I bought a wooden boat.', 'Wow.', 'I bought a wooden boat.']
  const [before = '', last = '', next = ''] = texts
  const line = (text: string) => ({ speaker: 'Ana', text })
  const values = shiftFeatures({ window: [line(before), line(last)], next: line(next) }, texts.map(byWords))
  const named = (name: FeatureName) => values[featureNames.indexOf(name)] ?? 0
  ok(Math.abs(named('nearnessToEither') - 1) < 1e-9)
  ok(named('nearnessToLast') < named('nearnessToBoth') && named('nearnessToBoth') < 1)
})

test('the more a message has in common with the window, the less likely it is a shift', () => {
  const near = score(boat, 'I painted the wooden boat.')
  const nearToTheOlder = score(['I bought a wooden boat last week.', 'Wow.'], 'I painted the wooden boat.')
  const far = score(boat, 'I painted the kitchen ceiling.')
  ok(near < nearToTheOlder && nearToTheOlder < far, `${near} < ${nearToTheOlder} < ${far}`)
})

test('two subjects come out as two boxes', async () => {
  const sailing = [
    'I bought a wooden boat last week.',
    'A wooden boat! Does the boat have a sail?',
    'It has a red sail.',
  ]
  const taxes = [
    'Nice. By the way, have you handed in your tax forms? I am behind with the paperwork for the office.',
    'The tax forms? I handed them in at the office on Monday.',
    'Then I will bring my forms to the office too.',
  ]
  same(await boxed(...sailing, ...taxes), [
    [0, 1, 2],
    [3, 4, 5],
  ])
})

test('short reactions stay with what they react to', async () => {
  same(await boxed('I bought a wooden boat last week.', 'Wow!', 'Yes, really.', 'That is great.'), [[0, 1, 2, 3]])
})

test('without a vector for each text the rules report no shift', async () => {
  const cutReadily = { parameters: { ...topicLoom.parameters, shiftScore: 0 } }
  const lines = ['I bought a boat.', 'Hey! How is your mother doing?']
  same(await boxedWith({ ...cutReadily, embedding: byWords }, lines), [[0], [1]])
  same(await boxedWith({ ...cutReadily, answers: { embed: () => ({ none: 'refused' }) } }, lines), [[0, 1]])
})

test('every feature is about 0 to 1, and has a weight', () => {
  const line = (text: string) => ({ speaker: 'Ana', text })
  const texts = ['', '👍', 'Hi!', 'Bye, see you!', boat.join(' '), 'What? Why? Who are you? '.repeat(500), '今日は']
  const inputs = texts.flatMap((last): ShiftInput[] =>
    texts.flatMap((next) => [
      { window: [line(last)], next: line(next) },
      { window: [line('I bought a boat.'), line(last)], next: line(next) },
    ]),
  )
  for (const input of inputs) {
    const vectors = [...input.window, input.next].map(({ text }) => byWords(text))
    const values = shiftFeatures(input, vectors)
    equal(values.length, featureNames.length)
    ok(
      values.every((value) => value >= -1 && value <= 1.000001),
      JSON.stringify([input, values]),
    )
  }
  same(Object.keys(shiftWeights), featureNames)
})

test('the speaker does not count', () => {
  const lines = (one: string, other: string): ShiftInput => ({
    window: [{ speaker: one, text: 'I bought a boat.' }],
    next: { speaker: other, text: 'Does it have a sail?' },
  })
  const vectors = ['I bought a boat.', 'Does it have a sail?'].map(byWords)
  equal(shiftScore(lines('Ana', 'Ben'), vectors), shiftScore(lines('Ana', 'Ana'), vectors))
})

test('a box is named by its keywords, and a box of greetings by its first line', () => {
  const { topic, keywords } = described('I bought a wooden boat in Lisbon.', 'The boat needs paint.')
  same(keywords.slice(0, 2).toSorted(), ['Lisbon', 'boat'])
  equal(topic, keywords.slice(0, 3).join(', '))
  const long = ['a', 'b', 'c'].map((letter) => letter.repeat(60)).join(' ')
  equal(described(long).topic.length, 120)
  same(described('  Hey! How are you?', 'Well, thanks.'), { topic: 'Hey! How are you?', keywords: [] })
})

function described(...texts: readonly string[]): Description {
  const lines = texts.map((text, index) => ({ label: `u${index + 1}`, speaker: 'Ana', text }))
  return describeBox.local({ lines }, {}).next().value as Description
}
