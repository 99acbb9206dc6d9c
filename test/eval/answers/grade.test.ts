import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QuestionContext } from './contexts.ts'
import { contextOf, question } from './fixture.ts'
import { agreementOf, differencesOf, gradeContexts, tableOf } from './grade.ts'
import { pairOf, type Reading, type Recording, type Verdict } from './readings.ts'

const reading = ({ item }: QuestionContext, reader: 1 | 2, answer: string, flags: Partial<Reading> = {}): Reading => {
  return { item, reader, answer, contradicts: false, outdated: false, ...flags }
}

function recordingOf(readings: readonly Reading[], contexts: readonly QuestionContext[], right: string): Recording {
  const verdictOf = (answer: string): Verdict => (answer === right ? 'right' : 'wrong')
  const judgements = contexts.flatMap(({ question }) =>
    readings.map(({ answer }) => [pairOf(question, answer), verdictOf(answer)] as const),
  )
  return { readings, judgements: new Map(judgements) }
}

test('each reader has an equal share of a question, and the flags count beside the verdict', () => {
  const context = contextOf(question('q', { kind: 'current' }), 'model')
  const readings = [reading(context, 1, 'yes', { outdated: true }), reading(context, 2, 'no', { contradicts: true })]
  const graded = gradeContexts([context], recordingOf(readings, [context], 'yes'))
  const row = { questions: 1, right: 0.5, wrong: 0.5, notThere: 0, contradicts: 0.5, rightOutdated: 0.5, notJudged: 0 }
  const { model, fusion } = tableOf(graded)
  assert.deepEqual(model['300'], { current: row, all: row })
  assert.deepEqual(fusion['300'], {})
})

test('a context without a reading, or with an answer without a verdict, is not judged', () => {
  const contexts = ['a', 'b', 'c'].map((id) => contextOf(question(id), 'model'))
  const [read, open] = contexts as [QuestionContext, QuestionContext, QuestionContext]
  const readings = [reading(read, 1, 'not there'), reading(open, 1, 'yes')]
  const { model } = tableOf(gradeContexts(contexts, { readings, judgements: new Map() }))
  const { questions, notThere, notJudged } = model['300']?.['all'] ?? {}
  assert.deepEqual({ questions, notThere, notJudged }, { questions: 1, notThere: 1, notJudged: 2 })
})

test('a memory that is right where another is wrong is ahead beyond chance, and one that is as often right is not', () => {
  const asked = Array.from({ length: 40 }, (_, at) => question(`q${at}`, { sample: `s${Math.floor(at / 10)}` }))
  const contexts = asked.flatMap((each) => [
    contextOf(each, 'model'),
    contextOf(each, 'rules'),
    contextOf(each, 'fusion'),
  ])
  const readings = contexts.map((context, at) => {
    const isOdd = Math.floor(at / 3) % 2 === 1
    const isRight = context.memory === 'model' || (context.memory === 'rules' ? isOdd : !isOdd)
    return reading(context, 1, isRight ? 'yes' : 'no')
  })
  const differences = differencesOf(gradeContexts(contexts, recordingOf(readings, contexts, 'yes')))
  assert.deepEqual(
    differences.map(({ memory, against, mean, isBeyondChance }) => [memory, against, mean, isBeyondChance]),
    [
      ['model', 'rules', 0.5, true],
      ['model', 'fusion', 0.5, true],
      ['rules', 'fusion', 0, false],
    ],
  )
})

test('the agreement of two readers counts contexts that both have read, and kappa leaves out chance', () => {
  const contexts = ['a', 'b', 'c', 'd', 'e'].map((id) => contextOf(question(id), 'model'))
  const readings = contexts.flatMap((context, at) => [
    reading(context, 1, at < 2 ? 'yes' : 'no'),
    ...(at === 4 ? [] : [reading(context, 2, at === 0 ? 'yes' : 'no', { outdated: at === 3 })]),
  ])
  assert.deepEqual(agreementOf(gradeContexts(contexts, recordingOf(readings, contexts, 'yes'))), {
    contexts: 4,
    sameVerdict: 0.75,
    kappa: 0.5,
    sameContradicts: 1,
    sameOutdated: 0.75,
  })
})
