import { strictEqual as equal, ok, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import { type HarnessOptions, harness } from '@loomlog/runtime/harness'
import type { BoxSealed, BoxUtterance, DerivedEvent, EventLinked, EventRecorded } from '@loomlog/schemas/events'
import { derivedId, hash, type Json } from '@loomlog/schemas/ids'
import { traceWeaver } from './processor.ts'
import {
  type Bucket,
  maxPersonsPerStrand,
  maxRecentPerStrand,
  maxStrandsPerBucket,
  maxTermsPerStrand,
  maxWaitingPerStrand,
  type Strand,
} from './state.ts'
import type { Parameters } from './step.ts'
import type { LinkQuestion } from './tasks.ts'

const dayMs = 24 * 60 * 60 * 1000

/** One box a conversation, a week after the one before; `Tomas: I bought a boat.` is one utterance. */
function box(number: number, ...lines: readonly string[]): BoxSealed {
  const utterances = lines.map((said, index): BoxUtterance => {
    const [speaker = '', text = ''] = said.split(/: (.*)/s)
    const role = speaker === 'calendar' ? 'tool' : 'human'
    const at = Date.UTC(2026, 2, 2, 9, index) + number * 7 * dayMs
    return { id: `u-${number}-${index + 1}`, seq: number * 100 + index, speaker, role, at, text, attachments: [] }
  })
  return {
    type: 'BoxSealed',
    id: `box-${number}`,
    tenant: 'acme',
    space: 'team',
    seq: number * 100,
    ordinal: 0,
    knownAt: 0,
    lineage: { derivation: 'test', method: 'rules', causes: [], completions: [] },
    conversation: `conversation-${number}`,
    utterances,
    cut: 'pause',
    topic: '',
    keywords: [],
    startedAt: utterances[0]?.at ?? 0,
    endedAt: utterances.at(-1)?.at ?? 0,
    keyId: null,
  }
}

const boat = [
  box(0, 'Tomas: I bought a wooden boat called Andorinha yesterday.', 'Ines: What a surprise!'),
  box(1, 'Tomas: Joaquim and I repaired the hull of the boat Andorinha on Friday.', 'Ines: Well done!'),
  box(2, 'Ines: I sent a talk proposal to the Quiet Systems conference last Friday.'),
  box(3, 'Ines: What is new?', 'Tomas: I painted the boat Andorinha green last week.'),
  box(4, 'Tomas: I launched the boat Andorinha in Setúbal yesterday.'),
]

function woven(options: HarnessOptions<Parameters> = {}) {
  return harness(traceWeaver, { embedding: wordsOf, ...options })
}

/** A toy embedding: texts are near where they share words, whatever these mean. */
function wordsOf(text: string): readonly number[] {
  const vector = new Array<number>(512).fill(0)
  for (const word of text.toLowerCase().match(/[a-zú]{3,}/g) ?? [])
    vector[Number.parseInt(hash(word).slice(0, 4), 16) % 512] = 10
  return vector
}

async function weave(boxes: readonly BoxSealed[], options: HarnessOptions<Parameters> = {}) {
  const run = woven(options)
  const made = await run.give(...boxes)
  return { run, made, ...told(made) }
}

function told(made: readonly DerivedEvent[]) {
  const events = made.filter((event): event is EventRecorded => event.type === 'EventRecorded')
  const links = made.filter((event): event is EventLinked => event.type === 'EventLinked')
  const texts = new Map(events.map((event) => [event.id, event.text]))
  const traces = [...Map.groupBy(links, (link) => link.trace).values()]
  return {
    events,
    links,
    traces,
    textsOf: (trace: readonly EventLinked[] = []) => trace.map((link) => texts.get(link.event)),
  }
}

/** The keyed records of one kind, by key. */
function records(state: ReadonlyMap<string, Json>, kind: string) {
  return [...state].flatMap(([path, value]) => {
    const [, record, key = ''] = path.split('\u001f')
    return record === kind ? [[key, value] as const] : []
  })
}

/** What a model that finds these events in a box's first line answers. */
function found(...events: readonly { readonly text: string; readonly [key: string]: Json }[]) {
  const whole = events.map((event) => ({
    sources: ['u1'],
    when: null,
    persons: [],
    keywords: event.text.split(' '),
    ...event,
  }))
  return { events: whole }
}

test('an event told in parts over four boxes becomes one trace, in the order of telling', async () => {
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

test('a trace exists from its second event on, and then its first event is linked too', async () => {
  const run = woven()
  equal(told(await run.give(...boat.slice(0, 1))).links.length, 0)
  const { links } = told(await run.give(...boat.slice(1, 2)))
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

test('events of one box do not make a trace by themselves, and wait together for another box', async () => {
  const run = woven()
  const one = box(
    0,
    'Tomas: I bought the boat Andorinha on Friday.',
    'Tomas: I moved the boat Andorinha to Setúbal yesterday.',
  )
  const first = told(await run.give(one))
  equal(first.events.length, 2)
  equal(first.links.length, 0)
  const { traces } = told(await run.give(box(1, 'Tomas: I painted the boat Andorinha yesterday.')))
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

test("a speaker's name is not what two events share", async () => {
  const { run } = await weave([
    box(0, 'Tomas: I bought a kettle yesterday.'),
    box(1, 'Tomas: I sold the piano yesterday.'),
  ])
  ok(!run.asked.some(({ task }) => task === 'verify-links'))
})

test('the same kind of thing that happens to other people is another matter', async () => {
  const boxes = [box(0, 'Jon: I lost my job on Friday.'), box(1, 'Gina: I lost my job on Friday.')]
  equal((await weave(boxes)).links.length, 0)
})

test('feelings, opinions, habits and what tools print are no events', async () => {
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

test('every event cites utterances of its box, and is dated where that was said', async () => {
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

test("a model's events are checked: wrong labels, no source, no text, dates that are none", async () => {
  const { events } = await weave(boat.slice(0, 1), {
    answers: {
      'extract-events': () =>
        found(
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

/** A verdict that links an event with the candidates that tell of these verbs, as strongly as given. */
function verdict(...wanted: readonly (readonly [verb: string, score: number])[]) {
  return (input: Json): Json => {
    const { candidates } = input as unknown as LinkQuestion
    const score = (text: string) => wanted.find(([verb]) => text.includes(verb))?.[1] ?? 0
    return { links: candidates.map(({ label, events }) => ({ label, score: score(events.at(-1)?.text ?? '') })) }
  }
}

/** Gives one box after the other, each with the verdict on its links. */
function weaver(parameters: Partial<Parameters> = {}) {
  let now = verdict()
  const run = woven({ parameters, answers: { 'verify-links': (input) => now(input) } })
  const weaves = async (next: BoxSealed, ...wanted: readonly (readonly [verb: string, score: number])[]) => {
    now = verdict(...wanted)
    return told(await run.give(next))
  }
  return { run, weaves }
}

const said = (number: number, verb: string) => box(number, `Tomas: I ${verb} the boat Andorinha yesterday.`)

test('an event joins every trace it belongs to, the strongest ones, and no more than it may', async () => {
  for (const maxTracesPerEvent of [1, 2]) {
    const { weaves } = weaver({ maxTracesPerEvent })
    await weaves(said(0, 'bought'))
    await weaves(said(1, 'repaired'), ['bought', 0.9])
    await weaves(said(2, 'painted'))
    await weaves(said(3, 'launched'), ['painted', 0.9])
    const { links } = await weaves(said(4, 'sold'), ['repaired', 0.7], ['launched', 0.8])
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

test('what waits for the same matter comes along into one trace, in the order of telling', async () => {
  const { weaves, run } = weaver()
  await weaves(said(0, 'bought'))
  await weaves(said(1, 'repaired'))
  const { links } = await weaves(said(2, 'painted'), ['repaired', 0.9], ['bought', 0.8])
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
  const more = await weaves(said(3, 'launched'), ['painted', 0.9])
  same(
    more.links.map((link) => [link.position, link.previous]),
    [[3, links[2]?.event]],
  )
})

test('what was told before the last event of a trace does not come along', async () => {
  const { weaves } = weaver()
  await weaves(said(0, 'bought'))
  await weaves(said(1, 'repaired'))
  await weaves(said(2, 'painted'), ['bought', 0.9])
  const { links } = await weaves(said(3, 'launched'), ['painted', 0.8], ['repaired', 0.9])
  same(
    links.map((link) => [link.position, link.box]),
    [[2, 'box-3']],
  )
})

test('what is asked holds content only: no ids, no boxes, no conversations', async () => {
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

test('a box whose events get no answer gives none, and leaves nothing behind', async () => {
  const { made, run } = await weave(boat, { answers: { 'extract-events': () => ({ none: 'refused' }) } })
  equal(made.length, 0)
  equal(run.state.size, 0)
})

test('a box whose links get no answer records its events, and a retry links these same events under the same ids', async () => {
  let answer: Json = { none: 'not JSON' }
  const run = woven({ answers: { 'verify-links': () => answer } })
  await run.give(...boat.slice(0, 1))
  const failed = told(await run.give(...boat.slice(1, 2)))
  equal(failed.events.length, 1)
  equal(failed.links.length, 0)
  answer = { links: [{ label: 't1', score: 1 }] }
  const extractions = () => run.asked.filter(({ task }) => task === 'extract-events').length
  const before = extractions()
  const retried = told(await run.give(...boat.slice(1, 2)))
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

test('many events of one box about one thing wait in strands of a few', async () => {
  const run = woven()
  const verbs = ['bought', 'painted', 'sold', 'repaired', 'borrowed', 'cleaned', 'launched']
  await run.give(box(0, ...verbs.map((verb) => `Tomas: I ${verb} the boat Andorinha on Friday.`)))
  const waiting = records(run.state, 'strand').map(([, strand]) => (strand as Strand).waiting.length)
  same(waiting, [maxWaitingPerStrand, verbs.length - maxWaitingPerStrand])
})

test('thousands of events leave bounded records, and no strand that nothing leads to', async () => {
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
  const run = woven({
    answers: {
      'extract-events': () => {
        const three = [0, 1, 2].map((step) => {
          const at = number * 7 + step * 5
          const text = `Tomas mended ${noun(at)} with ${noun(at + (number % 5))} and ${noun(at * 3 + 1)} part${at % 40}`
          return { text, persons: ['Tomas', `Helper ${at % 50}`], keywords: text.split(' ').slice(2) }
        })
        return found(...three)
      },
      // Some traces grow for ever, and most events open strands of their own.
      'verify-links': () => ({ links: number % 4 === 0 ? [{ label: 't1', score: 1 }] : [] }),
    },
  })
  for (; number < 700; number++) await run.give(box(number, 'Tomas: Something happened.'))
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
  ok(Math.max(...[...strands.values()].map((strand) => strand.events)) > maxTermsPerStrand, 'there is a long trace')
  ok(run.state.size < 2_000)
})

test('no more events are recorded of a box than the recipe says', async () => {
  const many = found(...Array.from({ length: 9 }, (_, index) => ({ text: `Event ${index}` })))
  const { events } = await weave(boat.slice(0, 1), {
    parameters: { maxEventsPerBox: 4 },
    answers: { 'extract-events': () => many },
  })
  same(
    events.map((event) => event.text),
    ['Event 0', 'Event 1', 'Event 2', 'Event 3'],
  )
})
