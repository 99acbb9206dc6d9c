/**
 * The facts of a model's answer against their evidence: inventions are withheld, a bad time is dropped, and nothing is
 * asked again.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { harness } from '@loomlog/runtime/harness'
import type { Json } from '@loomlog/schemas/ids'
import { type Line, openBox, spacePause } from './fixture.ts'
import { factExtractor } from './processor.ts'
import type { WindowLines } from './task-types.ts'

/** The lines are of Monday, 2 March 2026. */
async function read(lines: readonly Line[], ...rows: readonly string[]) {
  const all = harness(factExtractor, { answers: { 'extract-facts': () => ({ rows }) } })
  const made = await all.give(openBox(...lines), spacePause())
  assert.equal(all.asked.length, 1, 'nothing is asked again')
  return {
    recorded: made.flatMap((event) => (event.type === 'FactRecorded' ? [event] : [])),
    texts: made.flatMap((event) => (event.type === 'FactRecorded' ? [event.text] : [])),
    withheld: made.flatMap((event) => (event.type === 'FactWithheld' ? [[event.text, event.missing]] : [])),
  }
}

const iso = (ms: number | null | undefined) => (ms == null ? null : new Date(ms).toISOString().slice(0, 10))

test('a fact with an invented name, number or date is withheld, and the others are recorded', async () => {
  const lines: Line[] = [['Ann', 'I live in Porto and pay 900 euros until June.']]
  const { texts, withheld } = await read(
    lines,
    '1 state - Ann | lives in Porto',
    '1 state - Ann | lives in Lisbon',
    '1 state - Zoe | lives in Porto',
    '1 state - Ann | pays 700 euros',
    '1 state - Ann | pays 900 euros as agreed on 4 April 2025',
  )
  assert.deepEqual(texts, ['Ann lives in Porto.'])
  assert.deepEqual(withheld, [
    ['Ann lives in Lisbon.', ['lisbon']],
    ['Zoe lives in Porto.', ['zoe']],
    ['Ann pays 700 euros.', ['700']],
    ['Ann pays 900 euros as agreed on 4 April 2025.', ['4', 'april', '2025']],
  ])
})

test('a time that no line can mean is dropped, and its fact is kept without it', async () => {
  const lines: Line[] = [['Ann', 'I sold the boat yesterday.']]
  const rows = ['1 event 2026-03-01 Ann | sold the boat', '1 event 2025-07-19 Ann | sold Ann’s boat']
  const { recorded, withheld } = await read(lines, ...rows)
  assert.deepEqual(
    recorded.map(({ text, when }) => [text, iso(when?.from)]),
    [
      ['Ann sold the boat on 1 March 2026.', '2026-03-01'],
      ['Ann sold Ann’s boat.', null],
    ],
  )
  assert.deepEqual(withheld, [])
})

test('a fact has its time in its words, and what holds since, until or by a time has it as its beginning or end', async () => {
  const lines: Line[] = [
    ['Ann', 'I have been in Porto since January, until May. By the end of 2027 I must renew my visa.'],
  ]
  const { recorded } = await read(
    lines,
    '1 state 2026-01.. Ann | lives in Porto',
    '1 state ..2026-05 Ann | lives there, in Porto',
    '1 state 2026-01..2026-05 Ann | lives in the old town of Porto',
    '1 plan ..2027 Ann | must renew Ann’s visa',
    '1 state ..2027-12-31 Ann | has a visa',
    '1 state! - Ann | has moved',
  )
  assert.deepEqual(
    recorded.map(({ text, when, until }) => [text, iso(when?.from), iso(until)]),
    [
      ['Ann lives in Porto since January 2026.', '2026-01-01', null],
      ['Ann lives there, in Porto, until May 2026.', null, '2026-06-01'],
      ['Ann lives in the old town of Porto, from January 2026 to May 2026.', '2026-01-01', '2026-06-01'],
      ['Ann must renew Ann’s visa by 2027.', '2027-01-01', '2028-01-01'],
      ['Ann has a visa until 31 December 2027.', null, '2028-01-01'],
      ['Ann has moved.', null, null],
    ],
  )
})

test('a year that only another row tells passes, and so does a name that stands only in another row', async () => {
  const lines: Line[] = [
    ['Ann', 'When does Tomas open the shop, in 2028?'],
    ['Ben', 'He opens it on 6 May.'],
  ]
  const { recorded, withheld } = await read(lines, '2 plan 2028-05-06 Tomas | will open the shop')
  assert.deepEqual([recorded[0]?.text, withheld], ['Tomas will open the shop on 6 May 2028.', []])
  assert.deepEqual(
    recorded[0]?.inferred.map(({ word }) => word),
    ['tomas', '2028'],
  )
})

test('names of another conversation of the window, of the lines before it and of earlier speakers pass', async () => {
  const rows = (input: Json) => {
    const { days } = input as unknown as WindowLines
    return days.flatMap(({ lines }) => lines).length === 2 ? ['2 state - Tomas | likes Dora, Rufo and Ben'] : []
  }
  const all = harness(factExtractor, { answers: { 'extract-facts': (input) => ({ rows: rows(input) }) } })
  await all.give(openBox(['Ben', 'This is Rufo.'], ['Ann', 'A'], ['Ann', 'B']), spacePause())
  const other = { ...openBox(['Dora', 'Tomas is here.']), conversation: 'd' }
  const made = await all.give(openBox(['Ann', 'He likes them.']), other, spacePause())
  const [fact] = made.flatMap((event) => (event.type === 'FactRecorded' ? [event] : []))
  assert.deepEqual(fact?.inferred.map(({ word }) => word).toSorted(), ['ben', 'dora', 'rufo', 'tomas'])
})

test('place, persons, keywords, relation and object are read from the sentence', async () => {
  const lines: Line[] = [
    ['Ann', 'I live in Porto with Tomas. The workshop is on 16 April 2026, I no longer work at Acme.'],
  ]
  const { recorded } = await read(
    lines,
    '1 state - Ann | lives in Porto',
    '1 plan 2026-04-16 The workshop | takes place',
    '1 state! - Ann | no longer works at Acme',
  )
  const [home, workshop, work] = recorded
  assert.deepEqual(
    [home?.relation, home?.object, home?.location, home?.persons],
    ['lives in', 'Porto', 'Porto', ['Ann']],
  )
  assert.deepEqual(home?.entities, ['Porto'])
  assert.deepEqual([workshop?.relation, workshop?.object], ['takes', 'place on 16 April 2026'])
  assert.deepEqual([work?.relation, work?.object], ['no longer works at', 'Acme'])
})

test('a fact in another language has its time in figures, and only its numbers and speakers are checked', async () => {
  const lines: Line[] = [
    ['Jana', 'Ich wohne seit Mai 2025 mit meinem Bruder in einer Wohnung in Linz und zahle 900 Euro.'],
  ]
  const { recorded, withheld } = await read(
    lines,
    '1 state 2025-05.. Jana | wohnt mit ihrem Bruder in einer Wohnung in Linz',
    '1 state - Jana | zahlt für die Wohnung in Linz 700 Euro Miete im Monat',
  )
  assert.deepEqual(
    recorded.map(({ text, persons }) => [text, persons]),
    [['Jana wohnt mit ihrem Bruder in einer Wohnung in Linz (2025-05 –).', ['Jana']]],
  )
  assert.deepEqual(
    withheld.map(([, missing]) => missing),
    [['700']],
  )
})

test('an ask for one box has the lines of the whole window as evidence', async () => {
  const extract = (input: Json): Json => {
    const lines = (input as unknown as WindowLines).days.flatMap((day) => day.lines)
    if (lines.length > 1) return { none: 'cut off' }
    return { rows: lines[0]?.text === 'It was lovely.' ? ['1 state - Porto | was lovely'] : [] }
  }
  const all = harness(factExtractor, { answers: { 'extract-facts': extract } })
  const made = await all.give(openBox(['Ann', 'We sailed to Porto.']), openBox(['Ann', 'It was lovely.']), spacePause())
  assert.deepEqual(
    made.flatMap((event) => (event.type === 'FactRecorded' ? [event.text] : [])),
    ['Porto was lovely.'],
  )
})
