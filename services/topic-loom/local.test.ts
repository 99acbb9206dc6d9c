import { strictEqual as equal, ok, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import { terms } from '@loomlog/language/terms'
import { harness } from '@loomlog/runtime/harness'
import { boxes, boxSummaries, end, utterance } from './fixture.ts'
import { labelOf } from './local.ts'
import { lexiconOf, phraseScoresOf } from './phrase-scores.ts'
import { phrasesOf } from './phrases.ts'
import { topicLoom } from './processor.ts'
import { gapFeatures } from './shift-features.ts'
import { noStatistics, rawFeatures, rawScore, scoreFeatures, shiftScore } from './shift-score.ts'
import { rawWeights, scoreWeights } from './shift-weights.ts'
import type { LineReading } from './state.ts'
import { subjectVector } from './subject-vectors.ts'

/**
 * Replaces the embedder: similarity grows with shared words, and unrelated texts are a little similar, as with a real
 * one.
 */
function byWords(text: string): readonly number[] {
  const vector = new Array<number>(65).fill(0)
  for (const term of terms(text)) {
    const place = [...term].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 64, 7)
    vector[place] = 100
  }
  vector[64] = 80
  return vector
}

async function conversation(...texts: readonly string[]) {
  const stage = harness(topicLoom, { embedding: byWords, parameters: { shiftScore: 1 } })
  await stage.give(...texts.map((text, seq) => utterance(seq, text)))
  const open = [...stage.state].find(([key]) => key.includes('stretch'))?.[1] as {
    readonly readings: readonly LineReading[]
  }
  return open.readings
}

/** The raw score of the gap before the line at `at`. */
async function raw(at: number, ...texts: readonly string[]): Promise<number> {
  return rawScore(rawFeatures(await conversation(...texts), at, noStatistics).features)
}

const boat = ['I bought a wooden boat last week.', 'A wooden boat! Does the boat have a sail?']
const sail = ['It has one, the sail is red.', 'A red sail on a wooden boat, lovely.', 'The boat sails well.']

test('an answer to the question is less of a shift than a question on another matter', async () => {
  const answered = await raw(2, ...boat, ...sail)
  const asked = ['How is your mother doing after her operation?', 'My mother is at home again.', 'Good for her!']
  ok(answered < (await raw(2, 'I bought a wooden boat.', 'Congratulations on the boat.', ...asked)))
})

test('a greeting after a goodbye is more of a shift than before it', async () => {
  const later = ['Hey Ben! How have you been?', 'Fine, and you?', 'Busy.']
  const parted = await raw(2, 'I am off to bed.', 'Good night, talk to you soon!', ...later)
  ok(parted > (await raw(2, 'I am in my bed.', 'That sounds cosy to me!', ...later)))
})

test('the lines that follow count: a subject that is taken up is more of a shift than one that is dropped', async () => {
  const opening = 'My taxes are due at the office.'
  const takenUp = await raw(
    2,
    ...boat,
    opening,
    'The tax office closes on Monday.',
    'Then I bring the taxes on Monday.',
  )
  ok(takenUp > (await raw(2, ...boat, opening, 'Does the wooden boat have a sail?', 'The boat has a red sail.')))
})

test('the score of a gap depends on the raw scores of the conversation so far', () => {
  const after = (raws: readonly number[]) => {
    let statistics = noStatistics
    for (const each of raws) statistics = scoreFeatures(each, null, statistics).statistics
    return shiftScore(scoreFeatures(0.5, -2, { ...statistics, earlier: [-2, -2], linesSince: 4 }).features)
  }
  const steady = Array.from({ length: 40 }, () => -4)
  ok(Math.abs(after(steady) - after([])) > 0.01, 'the earlier gaps count')
})

test('the features of a gap are finite, and every one has a weight', async () => {
  const texts = ['', '👍', 'Hi!', 'Bye, see you!', boat.join(' '), 'What? Why? Who are you? '.repeat(500), '今日は', '']
  const readings = await conversation(...texts)
  for (let at = 1; at < texts.length; at++) {
    const { features, statistics } = rawFeatures(readings, at, noStatistics)
    same(
      Object.keys(features).toSorted(),
      Object.keys(rawWeights)
        .filter((name) => name !== 'bias')
        .toSorted(),
    )
    ok(Object.values(features).every(Number.isFinite), JSON.stringify(features))
    const second = scoreFeatures(rawScore(features), null, statistics).features
    ok(Object.keys(second).every((name) => name in scoreWeights))
  }
})

test('a gap reads five lines before it and three lines from its opening on', async () => {
  const texts = Array.from({ length: 12 }, (_, i) => `the boat ${i} sail ${i % 3}`)
  const readings = await conversation(...texts)
  same(gapFeatures({ readings: readings.slice(1, 9), at: 5 }), gapFeatures({ readings: readings.slice(1), at: 5 }))
  same(gapFeatures({ readings: readings.slice(1, 9), at: 5 }), gapFeatures({ readings: readings.slice(0, 9), at: 6 }))
})

test('a line scores by its phrases, and without known phrases 0', () => {
  const lexicon = lexiconOf([
    ['how are', 2_000, 0, 0],
    ['^1 how', 0, 3_000, 0],
    ['$2 fine thanks', 0, 0, 4_000],
  ])
  const phrases = phrasesOf('How are you? Fine, thanks.')
  ok(['how', 'how are', '^1 how', '^2 how are', '$2 fine thanks', 'length 3'].every((each) => phrases.includes(each)))
  const by = Math.sqrt(phrases.length)
  same(phraseScoresOf('How are you? Fine, thanks.', lexicon), { opening: 2 / by, last: 3 / by, after: 4 / by })
  same(phraseScoresOf('constructor', lexicon), { opening: 0, last: 0, after: 0 })
  same(phraseScoresOf('', lexicon), { opening: 0, last: 0, after: 0 })
})

test('lines are compared without what all lines share, and vectors of another embedder as they are', () => {
  const bias = { mean: [0.6, 0, 0], direction: [0, 1, 0] }
  same(subjectVector([0, 0, 2], bias), [-0.6, 0, 1])
  same(subjectVector([0.6, 0.8, 0], bias), [0, 0, 0])
  same(subjectVector([3, 4], bias), [3, 4])
  same(subjectVector([0, 0, 0], bias), [0, 0, 0])
})

test('without vectors the rules still seal every utterance', async () => {
  const events = [...boat, ...sail].map((text, seq) => utterance(seq, text))
  const { give } = harness(topicLoom, { answers: { embed: () => ({ none: 'refused' }) } })
  const sealed = boxes(await give(...events, ...end(events)))
  equal(sealed.flatMap(({ utterances }) => utterances).length, events.length)
})

test('short reactions stay with the line that they react to', async () => {
  const texts = ['I bought a wooden boat last week.', 'Wow!', 'Yes, really.', 'That is great.']
  const events = texts.map((text, seq) => utterance(seq, text))
  const { give } = harness(topicLoom, { embedding: byWords })
  same(boxSummaries(await give(...events, ...end(events))), ['pause: u0 u1 u2 u3'])
})

const labelOfTexts = (texts: readonly string[], language: string | null = 'en') =>
  labelOf(texts.map((text) => ({ text, language })))

test('a box is named by the nouns and names that recur in it, else by its first line', () => {
  const { topic, keywords } = labelOfTexts(['I bought a wooden boat in Lisbon.', 'The boat needs paint.'])
  same(keywords.slice(0, 2).toSorted(), ['Lisbon', 'boat'])
  equal(topic, 'boat')
  equal(labelOfTexts(['NULL, BIGINT and UI.', 'NULL, BIGINT and UI!']).topic, 'NULL, BIGINT and UI.')
  same(labelOfTexts(['  Hey! How are you?\nHow is it?', 'Well, thanks.']), { topic: 'Hey! How are you?', keywords: [] })
  const long = labelOfTexts([`${'so '.repeat(40)}what?`]).topic
  ok(long.length <= 60 && long.endsWith(' so…'), long)
})

test('the first line names a box in a language that the rules do not read', () => {
  const lines = ['Der Tisch ist für vier Personen.', 'Der Tisch steht draußen.']
  same(labelOfTexts(lines, 'de'), { topic: lines[0], keywords: [] })
})

const german = [
  'Ich brauche einen Tisch für vier Personen am Samstag.',
  'Um wie viel Uhr soll der Tisch reserviert sein?',
  'Um halb acht, am liebsten einen Tisch draußen.',
  'Der Tisch draußen ist am Samstag um acht noch frei.',
  'Die Heizung im Bad wird nicht warm.',
  'Ist die Pumpe der Heizung schon älter?',
  'Ja, die Pumpe ist fünfzehn Jahre alt.',
  'Für die Pumpe der Heizung schicken wir einen Techniker.',
  'Unser Hund frisst seit gestern nichts.',
  'Trinkt der Hund genug Wasser?',
  'Der Hund trinkt Wasser, aber er schläft fast nur.',
  'Geht mit dem Hund lieber zum Tierarzt.',
  'Im Sommer wollen wir in den Dolomiten wandern.',
  'Wie viele Tage wollt ihr im Sommer wandern?',
  'Fünf Tage von Hütte zu Hütte.',
  'Jede Hütte in den Dolomiten muss man früh buchen.',
]

test('boxes of another language are not as long as its conversation', async () => {
  const stage = harness(topicLoom, { embedding: byWords })
  const events = german.map((text, seq) => utterance(seq, text))
  const sizes = boxes(await stage.give(...events, ...end(events))).map((box) => box.utterances.length)
  ok(sizes.length >= 3 && Math.max(...sizes) <= german.length / 2, String(sizes))
})
