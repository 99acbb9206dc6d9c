import { strictEqual as equal, ok, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import type { FactRecorded } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import { factWindow, type WeaverInput, weave } from './fixture.ts'
import { rowsOf } from './rows.ts'
import type { LinkQuestion } from './task-types.ts'

const day = (month: number, date: number) => Date.UTC(2026, month - 1, date)
const on = (month: number, date: number) => ({
  from: day(month, date),
  to: day(month, date + 1),
  text: `${date} of ${month}`,
})

/** Texts about the same kind of thing are alike, regardless of their words. */
const kinds = [/golf|skoda|kia|cabrio/i, /dentist|silva/i, /porto|braga/i]
const embedding = (text: string) => [...kinds.map((kind) => (kind.test(text) ? 100 : 0)), 20]

/** The questions to the model, and the traces after it answered each of them with these rows. */
async function asked(windows: readonly (readonly WeaverInput[])[], links: readonly string[], parameters = {}) {
  const questions: string[] = []
  const answers = {
    'verify-links': (input: Json) => {
      questions.push(rowsOf(input as unknown as LinkQuestion))
      return { links }
    },
  }
  const { traces, textsOf } = await weave(windows, { parameters, answers, embedding })
  return { questions, traces: traces.map(textsOf) }
}

const fact = (text: string, keywords: string, more: Partial<FactRecorded> = {}) => ({
  text,
  keywords: keywords.split(' '),
  ...more,
})

const sold = fact('Tomas sold his Golf.', 'Golf sold', { when: on(3, 1) })
const bought = fact('Tomas got a Skoda.', 'Skoda got', { when: on(3, 9) })
const cycled = fact('Tomas cycled along the coast.', 'coast cycled', { when: on(3, 2) })

test('a new car meets the old car of the same person, though they share no word', async () => {
  const { questions, traces } = await asked([factWindow(0, sold, cycled), factWindow(1, bought)], ['e1 m1'])
  same(questions, ['year 2026\nm1 03-01 Tomas sold his Golf.\ne1 03-09 Tomas got a Skoda. (m1?)'])
  same(traces, [['Tomas sold his Golf.', 'Tomas got a Skoda.']])
})

test('the things of another person are no candidates', async () => {
  const others = { ...bought, text: 'Ines got a Skoda.', persons: ['Ines'] }
  same((await asked([factWindow(0, sold), factWindow(1, others)], [])).questions, [])
})

test('an event has a few related candidates at most, the nearest in meaning', async () => {
  const cars = ['Golf', 'Skoda', 'Kia'].map((car) => fact(`Tomas washed a ${car}.`, `${car} washed`))
  const later = fact('Tomas wants no cabrio.', 'wants')
  const { questions } = await asked([factWindow(0, ...cars, cycled), factWindow(1, later)], [], { maxRelated: 1 })
  ok(questions.at(-1)?.endsWith(' Tomas wants no cabrio. (m1?)'), questions.at(-1))
})

test('a moved date is a link: an event that names another date is asked about with a date that is still ahead', async () => {
  const first = fact('Tomas sees the dentist.', 'dentist', { kind: 'plan', when: on(5, 15) })
  const moved = fact('Tomas visits Silva instead.', 'Silva', { kind: 'plan', when: on(5, 22) })
  const { questions, traces } = await asked([factWindow(0, cycled, first), factWindow(1, moved)], ['e1 m1'], {
    maxRelated: 1,
  })
  same(questions, ['year 2026\nm1 05-15 Tomas sees the dentist.\ne1 05-22 Tomas visits Silva instead. (m1?)'])
  same(traces, [[first.text, moved.text]])
})

test('a date that is still ahead ranks before one that is past', async () => {
  const past = fact('Tomas saw the dentist.', 'dentist', { when: on(1, 15) })
  const ahead = fact('Tomas sees a specialist at Silva.', 'specialist', { kind: 'plan', when: on(5, 15) })
  const moved = fact('Tomas goes to Silva later.', 'later', { kind: 'plan', when: on(5, 22) })
  const { questions } = await asked([factWindow(0, ahead, past), factWindow(1, moved)], [], { maxRelated: 1 })
  ok(questions.at(-1)?.startsWith('year 2026\nm1 05-15 Tomas sees a specialist'), questions.at(-1))
})

test('a change that a model marks is woven, also one of a state; by rules it is not', async () => {
  const lived = fact('Tomas moved to Porto.', 'Porto moved')
  const moved = fact('Tomas lives in Braga.', 'Braga', { kind: 'state', isChange: true })
  same((await asked([factWindow(0, lived), factWindow(1, moved)], ['e1 m1'])).traces, [[lived.text, moved.text]])
  const state = { ...moved, isChange: false }
  same((await asked([factWindow(0, lived), factWindow(1, state)], ['e1 m1'])).traces, [])
})

test('by rules the same persons and meaning make no candidate', async () => {
  const { links, run } = await weave([factWindow(0, sold, cycled), factWindow(1, bought)], {
    parameters: { linkScore: 0 },
    embedding,
  })
  equal(links.length, 0)
  same(run.asked, [])
})
