/** Grounding: the names, numbers and dates of a fact are in its evidence. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { harness } from '@loomlog/runtime/harness'
import type { FactRecorded, FactWithheld } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import { groundingOf } from './fact-evidence.ts'
import { box, type Line, openBox, spacePause } from './fixture.ts'
import { type GroundedFacts, groundedFacts } from './grounded-facts.ts'
import { factExtractor } from './processor.ts'
import type { WindowLines } from './task-types.ts'

function grounding(text: string, lines: readonly Line[], statement: Partial<FactRecorded> = {}) {
  const [source, ...others] = box(...lines).utterances
  assert.ok(source)
  const before = [{ id: 'earlier', speaker: 'Dora', text: 'We met Rufus.' }]
  const fact = { text, persons: [], when: null, ...statement }
  const { inferred, missing } = groundingOf(fact, { sources: [source], others, before, participants: ['Tom'] })
  return { inferred: inferred.map(({ word, from }) => `${word} ${from.replace(/^b\d+-/, '')}`), missing }
}

test('names and numbers of the source are grounded: of its speaker, its words and its captions, also as numerals', () => {
  const shown = { attachments: [{ kind: 'image', description: 'a ferry to Faro', uri: null }] }
  const lines: Line[] = [['Ann', 'We took 3 dogs to Porto’s harbour.', shown]]
  const nothing = { inferred: [], missing: [] }
  assert.deepEqual(grounding('Ann took three dogs to Porto and Faro. There was a ferry.', lines), nothing)
})

test('a name or a number that only another line has is inferred from it; one that no line has is missing', () => {
  const lines: Line[] = [
    ['Ann', 'He lives there with 2 cats.'],
    ['Ben', 'Tomas in Porto?'],
  ]
  assert.deepEqual(
    grounding('Ann says that Tomas lives in Porto with two cats, like Rufus and Zoe, for 7 years.', lines),
    {
      inferred: ['tomas 1', 'porto 1', 'rufus earlier'],
      missing: ['zoe', '7'],
    },
  )
  assert.deepEqual(grounding('He lives there.', lines, { persons: ['Zoe'] }).missing, ['zoe'])
})

test('a date is inferred from a line with a time, and missing if no line has one', () => {
  const when = { from: 0, to: 1, text: '1 March 2026' }
  const dated = grounding('Ann sailed on 1 March 2026.', [['Ann', 'I sailed yesterday.']], { when })
  assert.deepEqual(dated, { inferred: ['1 0', 'march 0', '2026 0'], missing: [] })
  assert.deepEqual(grounding('Ann sailed on 1 March 2026.', [['Ann', 'I sailed.']]).missing, ['1', 'march', '2026'])
  assert.deepEqual(grounding('Ann sailed.', [['Ann', 'I sailed.']], { when }).missing, ['1', 'march', '2026'])
})

test('a month that a line names, or that is a person’s name, needs no line with a time', () => {
  const may: Line = ['May', 'I moved to Porto.']
  const told: Line = ['Ann', 'She moved yesterday.']
  assert.deepEqual(grounding('Ann says that May moved.', [['Ann', 'She moved.'], may]).inferred, ['may 1'])
  assert.deepEqual(grounding('Ann says that May moved.', [told, may], { persons: ['May'] }).inferred, ['may 1'])
  const asked: Line = ['Ben', 'Did she move in April?']
  assert.deepEqual(grounding('She moved in April.', [['Ann', 'She did.'], asked]).inferred, ['april 1'])
})

test('a name of an earlier speaker is inferred from the line that says "you"', () => {
  const said = grounding('Maya says that Tom lives in Porto.', [['Maya', 'You live in Porto.']], { persons: ['Tom'] })
  assert.deepEqual(said, { inferred: ['tom 0'], missing: [] })
})

test('a fact in another language than its line keeps its names and numbers, and its other capitals are no names', () => {
  const lines: Line[] = [['Ann', 'I have lived in Porto with my brother Tomas for 7 years.']]
  const german = 'Ann wohnt seit 7 Jahren mit ihrem Bruder Tomas in einem Haus in Porto.'
  assert.deepEqual(grounding(german, lines, { persons: ['Tomas'] }), { inferred: [], missing: [] })
  assert.deepEqual(grounding(german.replace('7', '9'), lines, { persons: ['Zoe'] }).missing, ['9', 'zoe'])
})

const row = (sources: string, object: string) => `${sources} | state | | | | | Ann | lives | in ${object}`

/** Answers the first ask with the rows, and the one about refused facts with the others. */
function answering(rows: readonly string[], again: readonly string[] | null) {
  const extract = (input: Json): Json => {
    if ((input as unknown as WindowLines).refused === undefined) return { rows }
    return again === null ? { none: 'refused' } : { rows: again }
  }
  return harness(factExtractor, { answers: { 'extract-facts': extract } })
}

async function read(all: ReturnType<typeof answering>) {
  const pause = spacePause()
  const first = openBox(['Ben', 'Hello.'])
  const made = await all.give(first, openBox(['Ann', 'I live in Porto.']), pause)
  const recorded = made.filter((event): event is FactRecorded => event.type === 'FactRecorded')
  const withheld = made.filter((event): event is FactWithheld => event.type === 'FactWithheld')
  return {
    pause,
    recorded: recorded.map(({ text }) => text),
    withheld: withheld.map(({ text, missing }) => [text, missing]),
  }
}

test('a model is asked once more about an ungrounded fact alone, with its words and its box', async () => {
  const all = answering([row('u2', 'Porto'), row('u2', 'Lisbon')], [row('u1', 'a town')])
  const { recorded, withheld } = await read(all)
  assert.deepEqual([recorded, withheld], [['Ann lives in Porto.', 'Ann lives in a town.'], []])
  const { refused, stretches } = (all.asked[1]?.input ?? { stretches: [] }) as unknown as WindowLines
  assert.deepEqual(refused, ['u1: Ann lives in Lisbon. (lisbon)'])
  assert.equal(stretches.flatMap(({ lines }) => lines).length, 1)
})

test('a fact that is ungrounded again is withheld, and the model is not asked a third time', async () => {
  const all = answering([row('u2', 'Porto'), row('u2', 'Lisbon')], [row('u1', 'Faro')])
  const { recorded, withheld } = await read(all)
  assert.deepEqual([recorded, withheld], [['Ann lives in Porto.'], [['Ann lives in Faro.', ['faro']]]])
  assert.equal(all.asked.length, 2)
})

test('without an answer to the second ask the fact is withheld, and a retry repeats nothing', async () => {
  const all = answering([row('u2', 'Porto'), row('u2', 'Lisbon')], null)
  const { pause, recorded, withheld } = await read(all)
  assert.deepEqual([recorded, withheld], [['Ann lives in Porto.'], [['Ann lives in Lisbon.', ['lisbon']]]])
  assert.deepEqual(await all.give(pause), [])
  assert.ok(!/unanswered/.test([...all.state.keys()].join()))
})

test('a second ask, and an ask for one box, have the lines of the whole window as evidence', async () => {
  const [first, second] = [openBox(['Ann', 'We sailed to Porto.']), openBox(['Ann', 'It was lovely.'])]
  const give = async (answer: (input: WindowLines, lines: number) => Json) => {
    const extract = (input: Json): Json => {
      const asked = input as unknown as WindowLines
      return answer(asked, asked.stretches.flatMap(({ lines }) => lines).length)
    }
    const all = harness(factExtractor, { answers: { 'extract-facts': extract } })
    const made = await all.give(first, second, spacePause())
    return made.flatMap((event) => (event.type === 'FactRecorded' ? [[event.text, event.inferred]] : []))
  }
  const inferred = [['Ann lives in Porto.', [{ word: 'porto', from: first.utterances[0]?.id }]]]
  const again = await give(({ refused }) => ({ rows: [refused ? row('u1', 'Porto') : row('u2', 'Lisbon')] }))
  assert.deepEqual(again, inferred)
  const part = (text: string): Json => ({ rows: text === 'It was lovely.' ? [row('u1', 'Porto')] : [] })
  const parts = await give(({ stretches }, lines) =>
    lines > 1 ? { none: 'cut off' } : part(stretches[0]?.lines[0]?.text ?? ''),
  )
  assert.deepEqual(parts, inferred)
})

test('the completion of a second ask without facts is in the lineage of the window', () => {
  const boxes = [{ ...openBox(['Ann', 'We sailed.']) }]
  const answered = (rows: readonly string[], completion: string) =>
    ({ kind: 'answer', value: { rows }, by: 'model', completions: [completion] }) as const
  const run = groundedFacts({ boxes, known: [], answer: answered([row('u1', 'Faro')], 'c1') }, boxes)
  run.next()
  const { value } = run.next([answered([], 'c2')])
  assert.deepEqual((value as GroundedFacts).completions, ['c2'])
})
