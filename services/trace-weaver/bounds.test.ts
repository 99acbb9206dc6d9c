import { strictEqual as equal, ok, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import type { DerivedEvent } from '@loomlog/schemas/events'
import { factWindow, records, spokenWindow, traceEvents, weaverHarness } from './fixture.ts'
import {
  type Bucket,
  maxPersonsPerStrand,
  maxRecentPerStrand,
  maxStrandsPerBucket,
  maxTermsPerStrand,
  maxWaitingPerStrand,
  type Strand,
} from './state.ts'

test('many events of one box about one thing wait in several short strands', async () => {
  const run = weaverHarness()
  const verbs = ['bought', 'painted', 'sold', 'repaired', 'borrowed', 'cleaned', 'launched']
  await run.give(...spokenWindow(0, ...verbs.map((verb) => `Tomas: I ${verb} the boat Andorinha on Friday.`)))
  const waiting = records(run.state, 'strand').map(([, strand]) => (strand as Strand).waiting.length)
  same(waiting, [maxWaitingPerStrand, verbs.length - maxWaitingPerStrand])
})

test('a matter of a hundred boxes is one trace, and its record stays small', async () => {
  const run = weaverHarness({
    parameters: { candidateScore: 0, askAbove: -1, askBelow: 2 },
    answers: { 'verify-links': () => ({ links: ['e1 m1'] }) },
  })
  const made: DerivedEvent[] = []
  for (let number = 0; number < 100; number++) {
    const keywords = ['boat', 'Andorinha', `part${number}`, `tool${number}`]
    const text = `Tomas mended ${keywords.join(' ')}`
    made.push(...(await run.give(...factWindow(number, { text, persons: ['Tomas', `Helper ${number}`], keywords }))))
  }
  const { traces } = traceEvents(made)
  same(
    traces.map((trace) => trace.map((link) => link.position)),
    [Array.from({ length: 100 }, (_, index) => index)],
  )
  same(
    records(run.state, 'strand').map(([, strand]) => {
      const { terms, persons, recent, events } = strand as Strand
      return [terms.length, persons.length, recent.length, events]
    }),
    [[maxTermsPerStrand, maxPersonsPerStrand, maxRecentPerStrand, 100]],
  )
})

test('thousands of events leave bounded records, and no strand without a bucket', async () => {
  const nouns = [
    'boat',
    'flat',
    'talk',
    'choir',
    'garden',
    'bridge',
    'violin',
    'oven',
    'kite',
    'fence',
    'novel',
    'lamp',
  ]
  const noun = (number: number) => nouns[number % nouns.length] ?? ''
  let number = 0
  const run = weaverHarness({
    parameters: { askAbove: -1, askBelow: 2 },
    // Some traces grow without limit, and most events open their own strands.
    answers: { 'verify-links': () => ({ links: number % 4 === 0 ? ['e1 m1', 'e2 m2', 'e3 m3'] : [] }) },
  })
  for (; number < 700; number++) {
    const three = [0, 1, 2].map((step) => {
      const at = number * 7 + step * 5
      const text = `Tomas mended ${noun(at)} with ${noun(at + (number % 5))} and ${noun(at * 3 + 1)} part${at % 40}`
      return { text, persons: ['Tomas', `Helper ${at % 50}`], keywords: text.split(' ').slice(2) }
    })
    await run.give(...factWindow(number, ...three))
  }
  const strands = new Map(records(run.state, 'strand')) as unknown as ReadonlyMap<string, Strand>
  const buckets = records(run.state, 'bucket').map(([, value]) => value as Bucket)
  const leads = new Map<string, number>()
  for (const id of buckets.flatMap((each) => each.strands)) leads.set(id, (leads.get(id) ?? 0) + 1)
  same([...leads.keys()].sort(), [...strands.keys()].sort())
  equal(Math.max(...buckets.map((each) => each.strands.length)), maxStrandsPerBucket)
  for (const [id, strand] of strands) {
    equal(strand.buckets, leads.get(id))
    ok(strand.terms.length <= maxTermsPerStrand)
    ok(strand.persons.length <= maxPersonsPerStrand)
    ok(strand.recent.length <= maxRecentPerStrand)
    ok(JSON.stringify(strand).length < 12_000)
  }
  ok(strands.size + buckets.length < 2_000)
})
