import { strictEqual as equal, ok, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import { derivedId } from '@loomlog/schemas/ids'
import { boat, box, traceEvents, weave, woven } from './fixture.ts'

test('events of one matter in four boxes become one trace, in the order of their utterances', async () => {
  const { traces, textsOf, events } = await weave(boat)
  equal(traces.length, 1)
  const [trace = []] = traces
  const parts = ['bought', 'repaired', 'painted', 'launched']
  same(
    textsOf(trace).map((text) => parts.find((part) => text?.includes(part))),
    parts,
  )
  same(
    trace.map((link) => link.position),
    [0, 1, 2, 3],
  )
  same(
    trace.map((link) => link.previous),
    [null, ...trace.slice(0, 3).map((link) => link.event)],
  )
  same(
    trace.map((link) => link.box),
    ['box-0', 'box-1', 'box-3', 'box-4'],
  )
  ok(/boat|Andorinha/.test(trace.at(-1)?.title ?? ''))
  ok(
    events.some((event) => event.text.includes('Quiet Systems')),
    'the talk is recorded, and in no trace',
  )
})

test('a trace begins with its second event, and then its first event is linked too', async () => {
  const run = woven()
  equal(traceEvents(await run.give(...boat.slice(0, 1))).links.length, 0)
  const { links } = traceEvents(await run.give(...boat.slice(1, 2)))
  same(
    links.map((link) => [link.position, link.box]),
    [
      [0, 'box-0'],
      [1, 'box-1'],
    ],
  )
  const first = derivedId('trace-weaver', 'box-0', 0)
  equal(links[0]?.event, first)
  ok(links[0]?.lineage.causes.includes(first))
})

test('events of one box alone are no trace, and wait together for another box', async () => {
  const run = woven()
  const one = box(
    0,
    'Tomas: I bought the boat Andorinha on Friday.',
    'Tomas: I moved the boat Andorinha to Setúbal yesterday.',
  )
  const first = traceEvents(await run.give(one))
  equal(first.events.length, 2)
  equal(first.links.length, 0)
  const { traces } = traceEvents(await run.give(box(1, 'Tomas: I painted the boat Andorinha yesterday.')))
  same(
    traces.map((links) => links.map((link) => [link.position, link.box])),
    [
      [
        [0, 'box-0'],
        [1, 'box-0'],
        [2, 'box-1'],
      ],
    ],
  )
})

test('unrelated events stay apart', async () => {
  const { events, links } = await weave([
    box(0, 'Tomas: I bought a wooden boat yesterday.'),
    box(1, 'Ines: I sent a talk proposal to the Quiet Systems conference last Friday.'),
    box(2, 'Maya: I found a flat in Porto last Saturday.'),
  ])
  equal(events.length, 3)
  equal(links.length, 0)
})

test('two matters of one person stay apart', async () => {
  const { traces, textsOf } = await weave([
    box(0, 'Maya: I joined a pottery class in Bonfim yesterday.'),
    box(1, 'Maya: I found a flat in Porto last Saturday.'),
    box(2, 'Maya: I made a bowl at the pottery class last week.'),
    box(3, 'Maya: I painted the flat in Porto on Friday.'),
  ])
  const matters = traces.map((trace) => textsOf(trace).map((text) => (text?.includes('pottery') ? 'pottery' : 'flat')))
  same(matters, [
    ['pottery', 'pottery'],
    ['flat', 'flat'],
  ])
})

test('a speaker’s name does not link two events', async () => {
  const { run } = await weave([
    box(0, 'Tomas: I bought a kettle yesterday.'),
    box(1, 'Tomas: I sold the piano yesterday.'),
  ])
  ok(!run.asked.some(({ task }) => task === 'verify-links'))
})

test('the same kind of event of other people is another matter', async () => {
  const boxes = [box(0, 'Jon: I lost my job on Friday.'), box(1, 'Gina: I lost my job on Friday.')]
  equal((await weave(boxes)).links.length, 0)
})

test('feelings, opinions, habits and outputs of tools are no events', async () => {
  const { events } = await weave([
    box(
      0,
      'Maya: I felt overwhelmed by the noise of the bakery.',
      'Maya: I believed in the bakery of my sister.',
      'Ines: I think that boats are beautiful.',
      'Maya: I used to sail with my father.',
      'calendar: Ines booked the Berlenga room on 2026-04-16.',
    ),
  ])
  same(
    events.map((event) => event.text),
    [],
  )
})

test('every event cites utterances of its box, and has a date if one was given', async () => {
  const { events } = await weave(boat)
  ok(events.length >= 5)
  for (const event of events) {
    const ids = boat.find((each) => each.id === event.box)?.utterances.map((utterance) => utterance.id) ?? []
    ok(event.sources.length > 0)
    for (const source of event.sources) {
      ok(ids.includes(source))
      ok(event.lineage.causes.includes(source))
    }
  }
  const bought = events.find((event) => event.text.includes('bought'))
  same(bought?.when, { from: Date.UTC(2026, 2, 1), to: Date.UTC(2026, 2, 2), text: '1 March 2026' })
})

test('the same boxes give the same events and the same state', async () => {
  const first = await weave(boat)
  const second = await weave(boat)
  same(second.made, first.made)
  same([...second.run.state], [...first.run.state])
})
