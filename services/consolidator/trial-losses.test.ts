/** Losses of a memory under the plans of a model, one test each. The plans are written for the tests. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '@loomlog/schemas/ids'
import { at, consolidatorHarness, type FactFields, fact, labelled } from './fixture.ts'
import type { BatchInput } from './task-types.ts'

type Plan = (input: Json) => Json

/** A fact in the words of its text, stated on a day. */
function stated(day: string, text: string, fields: Partial<FactFields> = {}) {
  const [subject = '', ...words] = text.replace(/\.$/, '').split(' ')
  return fact({ subject, relation: words[0] ?? '', object: words.slice(1).join(' '), text, saidAt: at(day), ...fields })
}

function when(from: string, to: string) {
  return { from: at(from), to: at(to), text: from, precision: 'day' } as const
}

/** Each batch gets its plan in turn; a second ask of a batch takes the next one. */
function memory(...plans: readonly Plan[]) {
  let next = 0
  return consolidatorHarness({ answers: { 'consolidate-batch': (input) => plans[next++]?.(input) ?? { rows: [] } } })
}

/** Rows of a plan with the labels of texts in them: `f1 Budget -{forty thousand}`. */
function rows(...given: readonly string[]): Plan {
  return (json) => {
    const input = json as unknown as BatchInput
    const label = (_: string, words: string) => labelled(input, new RegExp(words))
    return { rows: given.map((row) => row.replace(/\{([^}]+)\}/g, label)) }
  }
}

const filed = (heading: string, title = 'n1 Harbour | budgets, dates, people') => rows(title, `f1 ${heading}`)

const texts = (entries: readonly { readonly text: string }[]) => entries.map((entry) => entry.text)
const headed = (entries: readonly { heading: string; text: string; isOneOfSeveral: boolean }[]) =>
  entries.map(({ heading, text, isOneOfSeveral }) => `${heading}${isOneOfSeveral ? '+' : ''}: ${text}`)

test('the budget of another thing is not ended', async () => {
  const { give, current, endOf, batches } = memory(
    filed('Marketing budget'),
    rows('d1', 'f1 Travel budget'),
    rows('d1', 'f1 Travel budget -{travel budget is}'),
  )
  const by = { speaker: 'Maya' }
  const marketing = stated('2024-01-01', 'The marketing budget is 80k.', { ...by, subject: 'The marketing budget' })
  const travel = stated('2024-01-02', 'The travel budget is 80k.', { ...by, subject: 'The travel budget' })
  // The words name no budget: only the plan knows that it is the one for travel.
  const cut = stated('2024-01-03', 'The budget went from 80k to 65k.', { ...by, subject: 'The budget' })
  await give(marketing, travel, cut)
  assert.deepEqual(texts(current('topic')), [marketing.text, cut.text])
  assert.equal(endOf(travel.text)?.reason, 'superseded')
  assert.equal(batches().at(-1)?.refused, 0)
})

test('two people of the same name, in two documents, keep their homes', async () => {
  const { give, current, retired } = memory(
    filed('Home', 'n1 Anna of the choir | home, voice'),
    filed('Home', 'n1 Anna of sales | home, customers'),
  )
  const lives = (day: string, object: string) =>
    fact({ subject: 'Anna', relation: 'lives in', object, saidAt: at(day) })
  const [one, other] = [lives('2024-01-01', 'Linz'), lives('2024-01-02', 'Graz')]
  await give(one, other)
  assert.deepEqual(texts(current('topic')), [one.text, other.text])
  assert.deepEqual(retired(), [])
})

test('a past event is not ended, a plan is', async () => {
  const { giveBatch, current, endOf, batches } = memory(
    rows('n1 Harbour | reviews', 'f1 Review+', 'f2 Next review'),
    rows('d1', 'f1 Review -{took place}', 'f2 Next review -{is on}'),
  )
  const review = stated('2024-02-02', 'The review took place on 1 February.', {
    kind: 'event',
    when: when('2024-02-01', '2024-02-02'),
  })
  const next = stated('2024-02-02', 'The next review is on 1 March.', {
    kind: 'plan',
    when: when('2024-03-01', '2024-03-02'),
  })
  const failed = stated('2024-02-05', 'The reviewers were not content.')
  const moved = stated('2024-02-05', 'The next review waits until 8 March.', {
    kind: 'plan',
    when: when('2024-03-08', '2024-03-09'),
  })
  await giveBatch(review, next)
  await giveBatch(failed, moved)
  assert.deepEqual(texts(current('topic')), [review.text, failed.text, moved.text])
  assert.equal(endOf(next.text)?.validTo, moved.saidAt)
  // A past event is no cause to ask again.
  assert.deepEqual([batches().at(-1)?.plans, batches().at(-1)?.refused], [1, 1])
})

test('a goal that is raised and lowered again leaves the last', async () => {
  const { give, current, retired } = memory(
    filed('Goal', 'n1 Maya’s running | goals'),
    rows('d1', 'f1 Goal -{10 km}'),
    rows('d1', 'f1 Goal -{21 km}'),
  )
  const goals = [
    stated('2024-01-01', 'Maya wants to run 10 km.'),
    stated('2024-02-01', 'Maya now wants to run 21 km.'),
    stated('2024-03-01', 'Maya wants to run 10 km.'),
  ]
  await give(...goals)
  const topics = current('topic')
  assert.deepEqual(headed(topics), ['Goal: Maya wants to run 10 km.'])
  assert.deepEqual(topics[0]?.facts, [goals[2]?.id])
  assert.equal(retired().filter(({ reason }) => reason === 'merged').length, 0)
})

test('a wedding that is filed under the move stays beside it', async () => {
  const { giveBatch, current, retired } = memory(
    rows('n1 Ben and Ines | home, family', 'f1 Home'),
    rows('d1', 'f1 Home', 'f2 Home -{Lisbon}'),
  )
  const lives = stated('2024-01-01', 'Ben and Ines live in Lisbon.')
  const wedding = stated('2024-06-01', 'Ben and Ines married in Porto.', {
    kind: 'event',
    when: when('2024-05-25', '2024-05-26'),
  })
  const home = stated('2024-06-01', 'Ben and Ines moved to Porto.', { kind: 'state' })
  await giveBatch(lives)
  await giveBatch(wedding, home)
  assert.deepEqual(headed(current('topic')), [`Home+: ${wedding.text}`, `Home: ${home.text}`])
  assert.equal(retired().find(({ reason }) => reason === 'superseded')?.validTo, home.saidAt)
})

test('a moved date ends the old one, in any document', async () => {
  const { give, current, endOf } = memory(filed('Go-live date'), rows('n1 Oskar | work, plans', 'f1 Plans+ -{15 May}'))
  const date = stated('2024-04-01', 'The go-live is on 15 May.', {
    kind: 'plan',
    when: when('2024-05-15', '2024-05-16'),
  })
  const moved = stated('2024-05-01', 'Oskar needs three more weeks, so it starts on 5 June.', {
    kind: 'plan',
    when: when('2024-06-05', '2024-06-06'),
  })
  await give(date, moved)
  assert.deepEqual(texts(current('topic')), [moved.text])
  assert.deepEqual([endOf(date.text)?.reason, endOf(date.text)?.validTo], ['superseded', moved.saidAt])
})

test('an ending against the order of time is sent back once, and left out if it comes again', async () => {
  const wrong = rows('d1', 'f1 Door -{blue}')
  const { give, current, asked, batches } = memory(filed('Door'), wrong, wrong)
  const blue = stated('2024-03-01', 'The door is blue.')
  const red = stated('2024-02-01', 'A red door was there.')
  await give(blue, red)
  assert.deepEqual(texts(current('topic')), [blue.text, red.text])
  const last = asked.at(-1)?.input as BatchInput | undefined
  assert.deepEqual(last?.refused, ['f1 -e1: e1 is newer and holds later'])
  assert.deepEqual([batches().at(-1)?.plans, batches().at(-1)?.refused], [2, 1])
})

test('an ending that the second answer corrects is followed', async () => {
  const { giveBatch, current, batches } = memory(
    filed('Door'),
    rows('d1', 'f1 Door -{blue}', 'f2 Door'),
    rows('d1', 'f1 Door+'),
  )
  const blue = stated('2024-03-01', 'The door is blue.')
  const red = stated('2024-02-01', 'A red door was there.')
  const bell = stated('2024-03-02', 'The bell is broken.')
  await giveBatch(blue)
  await giveBatch(red, bell)
  assert.equal(current('topic').length, 3)
  assert.deepEqual([batches().at(-1)?.plans, batches().at(-1)?.refused], [2, 0])
})

test('unknown labels and rows that can’t be read are ignored and counted', async () => {
  const { giveBatch, current, written, batches } = memory(
    rows('d9', 'f1 Things+ -e6 =f5', 'f7 Things', 'm e9 d1', 't d4 Nothing', 'r e9 Nothing.', '? e8 e9', 'Nothing'),
  )
  const [owns, sold] = [stated('2024-01-01', 'Maya owns a guitar.'), stated('2024-01-02', 'Maya sold a chair.')]
  await giveBatch(owns, sold)
  assert.deepEqual(texts(current('topic')), [owns.text, sold.text])
  // d9, e6, f5, f7, the move, the title, the rest, the pair, and the last row.
  assert.deepEqual([batches()[0]?.plans, batches()[0]?.refused, batches()[0]?.lost], [1, 9, []])
  assert.ok(written().every(({ lineage }) => lineage.method === 'rules'))
})

test('the part that an ending leaves is kept, of an entry and of another fact of the batch', async () => {
  const monday = 'Maya picks up the kids on Mondays.'
  for (const isSameBatch of [true, false]) {
    const { giveBatch, current } = memory(
      ...(isSameBatch
        ? [rows('n1 Kids | school', 'f1 Pick-up+', 'f2 Pick-up+ -f1', `r f1 ${monday}`)]
        : [filed('Pick-up+', 'n1 Kids | school'), rows('d1', 'f1 Pick-up+ -{Fridays}', `r {Fridays} ${monday}`)]),
    )
    const both = stated('2024-01-01', 'Maya picks up the kids on Mondays and Fridays.')
    const ben = stated('2024-02-01', 'Ben picks up the kids on Fridays.')
    if (isSameBatch) await giveBatch(both, ben)
    else for (const each of [both, ben]) await giveBatch(each)
    assert.deepEqual(texts(current('topic')).toSorted(), [ben.text, monday])
  }
})

test('a second answer replaces the faulty ending only', async () => {
  const { give, current, asked } = memory(
    filed('Door'),
    filed('Gate', 'n1 Garden | gates'),
    rows('d1', 'f1 Door -{blue},{green}'),
    rows('d1', 'f1 Door'),
  )
  const blue = stated('2024-03-01', 'The door is blue.')
  const green = stated('2024-01-01', 'The gate of the door is green.')
  const red = stated('2024-02-01', 'The door and its gate are red.')
  await give(blue, green, red)
  assert.equal((asked.at(-1)?.input as BatchInput | undefined)?.refused?.length, 1)
  assert.deepEqual(texts(current('topic')).toSorted(), [blue.text, red.text].toSorted())
})
