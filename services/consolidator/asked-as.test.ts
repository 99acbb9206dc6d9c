/** Words with which somebody may look for what stands under a heading. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consolidatorHarness, fact, labelled } from './fixture.ts'
import { readPlan } from './plan/plan-rows.ts'
import type { BatchInput } from './task-types.ts'

test('the entries under a heading keep the words with which one may look for it, and are found by them', async () => {
  const plans: readonly ((input: BatchInput) => readonly string[])[] = [
    () => ['n1 Bison team | people, duties', 'f1 On-call ~pager, standby, ,duty'],
    (input) => ['d1', `f1 on-call -${labelled(input, /swaps on Mondays/)} ~duty`],
  ]
  let asks = 0
  const answer = (input: unknown) => ({ rows: plans[asks++]?.(input as BatchInput) ?? [] })
  const { giveBatch, written, current, asked } = consolidatorHarness({ answers: { 'consolidate-batch': answer } })
  await giveBatch(fact({ subject: 'The team', relation: 'swaps on', object: 'Mondays', speaker: 'Gunnhild' }))
  const change = { speaker: 'Gunnhild', isChange: true } as const
  await giveBatch(fact({ subject: 'The pager', relation: 'changes hands on', object: 'Wednesdays', ...change }))
  assert.match(JSON.stringify(asked[1]?.input), /swaps on Mondays/)
  assert.deepEqual(
    written().map(({ heading, askedAs }) => [heading, askedAs]),
    [
      ['On-call', ['pager', 'standby', 'duty']],
      ['On-call', ['duty', 'pager', 'standby']],
    ],
  )
  assert.deepEqual(
    current('topic').map(({ text }) => text),
    ['The pager changes hands on Wednesdays.'],
  )
})

test('marks of a row are read in any place, and a word keeps none of them', () => {
  const read = (row: string) => {
    const planned = readPlan([row]).facts.get('f1')
    return planned && [planned.heading, planned.ends, planned.same, planned.askedAs]
  }
  assert.deepEqual(read('f1 Price -e1 , e2 ~cost'), ['Price', ['e1', 'e2'], [], ['cost']])
  assert.deepEqual(read('f1 Price ~cost,fee -e1,f2 =e9'), ['Price', ['e1', 'f2'], ['e9'], ['cost', 'fee']])
  assert.deepEqual(read('f1 Price -e1,f2=e9'), ['Price', ['e1', 'f2'], ['e9'], []])
})
