import { strictEqual as equal, ok, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import {
  boat,
  fact,
  factWindow,
  records,
  spokenWindow,
  traceEvents,
  weave,
  weaverHarness,
  windowEnd,
} from './fixture.ts'

test('events of one matter in four boxes become one trace, in the order of their utterances', async () => {
  const { traces, textsOf, run } = await weave(boat)
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
    records(run.state, 'woven').some(([id]) => id.startsWith('f-2')),
    'the talk is an event, and in no trace',
  )
})

test('a trace begins with its second box, and then its first event is linked too', async () => {
  const run = weaverHarness()
  const [first = [], second = []] = boat
  equal(traceEvents(await run.give(...first)).links.length, 0)
  const { links } = traceEvents(await run.give(...second))
  same(
    links.map((link) => [link.position, link.box, link.event]),
    [
      [0, 'box-0', 'f-0-1-0'],
      [1, 'box-1', links[1]?.event],
    ],
  )
  ok(links[0]?.lineage.causes.includes('f-0-1-0'))
})

test('boxes of one window are linked with each other', async () => {
  const lines = ['bought', 'repaired'].map((verb, box) =>
    fact(0, `f${box}`, {
      text: `Tomas ${verb} the boat Andorinha.`,
      relation: verb,
      object: 'the boat Andorinha',
      keywords: ['boat', 'Andorinha'],
      persons: ['Tomas'],
      box: `box-${box}`,
    }),
  )
  const { traces } = await weave([[...lines, windowEnd(0)]])
  same(
    traces.map((links) => links.map(({ event, position }) => [event, position])),
    [
      [
        ['f0', 0],
        ['f1', 1],
      ],
    ],
  )
})

test('events of one box alone are no trace, and wait together for another box', async () => {
  const run = weaverHarness()
  const lines = [
    'Tomas: I bought the boat Andorinha on Friday.',
    'Tomas: I moved the boat Andorinha to Setúbal yesterday.',
  ]
  equal(traceEvents(await run.give(...spokenWindow(0, ...lines))).links.length, 0)
  const { traces } = traceEvents(await run.give(...spokenWindow(1, 'Tomas: I painted the boat Andorinha yesterday.')))
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
  const { links, run } = await weave([
    spokenWindow(0, 'Tomas: I bought a wooden boat yesterday.'),
    spokenWindow(1, 'Ines: I sent a talk proposal to the Quiet Systems conference last Friday.'),
    spokenWindow(2, 'Maya: I found a flat in Porto last Saturday.'),
  ])
  equal(records(run.state, 'woven').length, 3)
  equal(links.length, 0)
})

test('two matters of one person stay apart', async () => {
  const { traces, textsOf } = await weave([
    spokenWindow(0, 'Maya: I joined a pottery class in Bonfim yesterday.'),
    spokenWindow(1, 'Maya: I found a flat in Porto last Saturday.'),
    spokenWindow(2, 'Maya: I made a bowl at the pottery class last week.'),
    spokenWindow(3, 'Maya: I painted the flat in Porto on Friday.'),
  ])
  const matters = traces.map((trace) => textsOf(trace).map((text) => (text?.includes('pottery') ? 'pottery' : 'flat')))
  same(matters, [
    ['pottery', 'pottery'],
    ['flat', 'flat'],
  ])
})

test('a speaker’s name does not link two events', async () => {
  const { run } = await weave([
    spokenWindow(0, 'Tomas: I bought a kettle yesterday.'),
    spokenWindow(1, 'Tomas: I sold the piano yesterday.'),
  ])
  ok(!run.asked.some(({ task }) => task === 'verify-links'))
})

test('the same kind of event of other people is another matter', async () => {
  const windows = [spokenWindow(0, 'Jon: I lost my job on Friday.'), spokenWindow(1, 'Gina: I lost my job on Friday.')]
  equal((await weave(windows)).links.length, 0)
})

test('by rules, feelings, opinions, habits and shared pictures are no events; a model’s kind is trusted', async () => {
  const { run } = await weave([
    spokenWindow(
      0,
      'Maya: I felt overwhelmed by the noise of the bakery.',
      'Maya: I believed in the bakery of my sister.',
      'Ines: I think that boats are beautiful.',
      'Maya: I used to sail with my father.',
    ),
    [fact(1, 'shared', { relation: 'shared', object: 'a photo of a boat' })],
  ])
  same(records(run.state, 'woven'), [])
  const { run: trusting } = await weave([
    factWindow(0, { text: 'Tomas felt seasick.', relation: 'felt' }, { text: 'Tomas is tall.', kind: 'state' }),
  ])
  equal(records(trusting.state, 'woven').length, 1)
})

test('a batch does not wait for its window once it is full, and a repeated fact changes nothing', async () => {
  const run = weaverHarness({ parameters: { maxBatchEvents: 2 } })
  const [one, two] = boat.flat().filter((event) => event.type === 'FactRecorded')
  ok(one && two)
  equal((await run.give(one)).length, 0)
  equal((await run.give(one, two)).length, 2)
  same(records(run.state, 'batch'), [])
})

test('events of one box in two batches are no trace', async () => {
  const run = weaverHarness({ parameters: { maxBatchEvents: 2 } })
  const verbs = ['bought', 'painted', 'sold']
  const oneBox = verbs.map((verb) => `Tomas: I ${verb} the boat Andorinha on Friday.`)
  equal((await run.give(...spokenWindow(0, ...oneBox))).length, 0)
  const { traces } = traceEvents(await run.give(...spokenWindow(1, 'Tomas: I borrowed the boat Andorinha on Friday.')))
  same(
    traces.map((links) => new Set(links.map(({ box }) => box)).size),
    traces.map(() => 2),
  )
  equal(traces.length, 1)
})

test('the same facts give the same links and the same state', async () => {
  const first = await weave(boat)
  const second = await weave(boat)
  same(second.made, first.made)
  same([...second.run.state], [...first.run.state])
})
