import { strictEqual as equal, ok, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '@loomlog/schemas/ids'
import { boat, boatBox, modelEvents, records, traceEvents, weave, weaver, woven } from './fixture.ts'

test('a model’s events are checked: wrong labels, no source, no text, invalid dates', async () => {
  const { events } = await weave(boat.slice(0, 1), {
    answers: {
      'extract-events': () =>
        modelEvents(
          {
            text: 'Tomas bought a boat.',
            sources: ['u1', 'u9', 'u1'],
            when: { from: '2026-03-01', to: '2026-03-01', text: ' ' },
          },
          { text: 'Nobody said this.', sources: ['u9'] },
          { text: ' ' },
          { text: 'Tomas sailed.', when: { from: '2026-02-30', to: '2026-02-30', text: 'soon' } },
          {
            text: 'Tomas slept.',
            when: { from: '2026-03-05', to: '2026-03-01', text: 'backwards' },
            persons: ['Tomas ', '', 'Tomas'],
          },
        ),
    },
  })
  same(
    events.map((event) => [event.text, event.sources]),
    [
      ['Tomas bought a boat.', ['u-0-1']],
      ['Tomas sailed.', ['u-0-1']],
      ['Tomas slept.', ['u-0-1']],
    ],
  )
  same(events[0]?.when, { from: Date.UTC(2026, 2, 1), to: Date.UTC(2026, 2, 2), text: '2026-03-01' })
  same([events[1]?.when, events[2]?.when, events[2]?.persons], [null, null, ['Tomas']])
  same([events[0]?.lineage.method, events[0]?.lineage.completions], ['scripted', ['scripted']])
})

test("a model's links are checked: unknown labels, scores below the threshold, more traces than an event may join", async () => {
  const answered = (links: readonly { label: string; score: number }[]) => ({
    answers: { 'verify-links': () => ({ links }) },
  })
  equal((await weave(boat.slice(0, 2), answered([{ label: 't9', score: 1 }]))).links.length, 0)
  equal((await weave(boat.slice(0, 2), answered([{ label: 't1', score: 0.1 }]))).links.length, 0)
  equal((await weave(boat.slice(0, 2), answered([{ label: 't1', score: 7 }]))).links.length, 0)
  const twice = [
    { label: 't1', score: 0.6 },
    { label: 't1', score: 0.9 },
  ]
  same(
    (await weave(boat.slice(0, 2), answered(twice))).links.map((link) => link.score),
    [0.9, 0.9],
  )
})

test('an event joins the strongest traces that it belongs to, up to the limit', async () => {
  for (const maxTracesPerEvent of [1, 2]) {
    const { weaves } = weaver({ maxTracesPerEvent })
    await weaves(boatBox(0, 'bought'))
    await weaves(boatBox(1, 'repaired'), ['bought', 0.9])
    await weaves(boatBox(2, 'painted'))
    await weaves(boatBox(3, 'launched'), ['painted', 0.9])
    const { links } = await weaves(boatBox(4, 'sold'), ['repaired', 0.7], ['launched', 0.8])
    same(
      links.map((link) => [link.score, link.position]),
      [
        [0.8, 2],
        [0.7, 2],
      ].slice(0, maxTracesPerEvent),
    )
    equal(new Set(links.map((link) => link.trace)).size, maxTracesPerEvent)
  }
})

test('events that wait for the same matter join one trace, in the order of their utterances', async () => {
  const { weaves, run } = weaver()
  await weaves(boatBox(0, 'bought'))
  await weaves(boatBox(1, 'repaired'))
  const { links } = await weaves(boatBox(2, 'painted'), ['repaired', 0.9], ['bought', 0.8])
  same(
    links.map((link) => [link.position, link.box]),
    [
      [0, 'box-0'],
      [1, 'box-1'],
      [2, 'box-2'],
    ],
  )
  equal(new Set(links.map((link) => link.trace)).size, 1)
  equal(records(run.state, 'strand').length, 1)
  const more = await weaves(boatBox(3, 'launched'), ['painted', 0.9])
  same(
    more.links.map((link) => [link.position, link.previous]),
    [[3, links[2]?.event]],
  )
})

test('a waiting event that is older than the last event of a trace does not join', async () => {
  const { weaves } = weaver()
  await weaves(boatBox(0, 'bought'))
  await weaves(boatBox(1, 'repaired'))
  await weaves(boatBox(2, 'painted'), ['bought', 0.9])
  const { links } = await weaves(boatBox(3, 'launched'), ['painted', 0.8], ['repaired', 0.9])
  same(
    links.map((link) => [link.position, link.box]),
    [[2, 'box-3']],
  )
})

test('asks hold content only: no ids, boxes or conversations', async () => {
  const { run } = await weave(boat)
  const asked = JSON.stringify(run.asked)
  ok(run.asked.some(({ task }) => task === 'verify-links'))
  ok(!/u-\d-\d|box-\d|conversation-|acme|[0-9a-f]{32}/.test(asked))
  const [first] = run.asked
  same(JSON.parse(JSON.stringify(first?.input)).lines[0], {
    label: 'u1',
    speaker: 'Tomas',
    role: 'human',
    said: 'Monday 2026-03-02',
    text: 'I bought a wooden boat called Andorinha yesterday.',
    shown: [],
  })
})

test('a box without an answer about events records none and leaves no state', async () => {
  const { made, run } = await weave(boat, { answers: { 'extract-events': () => ({ none: 'refused' }) } })
  equal(made.length, 0)
  equal(run.state.size, 0)
})

test('a box without an answer about links records its events, and a retry links them under the same ids', async () => {
  let answer: Json = { none: 'not JSON' }
  const run = woven({ answers: { 'verify-links': () => answer } })
  await run.give(...boat.slice(0, 1))
  const failed = traceEvents(await run.give(...boat.slice(1, 2)))
  equal(failed.events.length, 1)
  equal(failed.links.length, 0)
  answer = { links: [{ label: 't1', score: 1 }] }
  const extractions = () => run.asked.filter(({ task }) => task === 'extract-events').length
  const before = extractions()
  const retried = traceEvents(await run.give(...boat.slice(1, 2)))
  equal(extractions(), before, 'what was recorded is not asked for again')
  same(retried.events, failed.events)
  same(
    retried.links.map((link) => [link.position, link.box]),
    [
      [0, 'box-0'],
      [1, 'box-1'],
    ],
  )
  equal(records(run.state, 'unwoven').length, 0)
})

test('a box records at most as many events as the recipe allows', async () => {
  const many = modelEvents(...Array.from({ length: 9 }, (_, index) => ({ text: `Event ${index}` })))
  const { events } = await weave(boat.slice(0, 1), {
    parameters: { maxEventsPerBox: 4 },
    answers: { 'extract-events': () => many },
  })
  same(
    events.map((event) => event.text),
    ['Event 0', 'Event 1', 'Event 2', 'Event 3'],
  )
})
