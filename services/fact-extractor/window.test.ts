/** Windows: which boxes are read in one ask, and retries of windows without an answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { harness } from '@loomlog/runtime/harness'
import type { DerivedEvent, FactRecorded } from '@loomlog/schemas/events'
import { hash, type Json } from '@loomlog/schemas/ids'
import { box, correction, type Line, openBox, spacePause, undoOf, withSpacePauses } from './fixture.ts'
import { factExtractor } from './processor.ts'
import type { DayLines, WindowLines } from './task-types.ts'

const lines = (count: number, from = 0): readonly Line[] =>
  Array.from({ length: count }, (_, n) => ['Ann', `I own boat number ${from + n}.`] as const)
const texts = (made: readonly DerivedEvent[]) =>
  made.filter((event): event is FactRecorded => event.type === 'FactRecorded').map(({ text }) => text)

const whole = { kind: 'state', subject: 'Ann', relation: 'owns', object: '', when: null, location: null }
const empty = { persons: [], entities: [], keywords: [] }

function linesIn(input: Json): DayLines['lines'] {
  return (input as unknown as WindowLines).days.flatMap(({ lines }) => lines)
}

/** A model that finds a fact in each line, and answers only asks of at most `most` lines without the word. */
function model(most: number, refused = 'nothing', parameters = {}) {
  return harness(factExtractor, {
    parameters,
    answers: {
      'extract-facts': (input) => {
        const lines = linesIn(input)
        if (lines.length > most || lines.some(({ text }) => text.includes(refused))) return { none: 'cut off' }
        const facts = lines.map(({ label, text }) => ({
          ...whole,
          ...empty,
          text: `Ann says: ${text}`,
          sources: [label],
        }))
        return { facts } as Json
      },
    },
  })
}

test('the boxes of a window are one ask, and each fact is of the box that it cites', async () => {
  const all = harness(factExtractor)
  const [first, last] = [openBox(['Ann', 'I live in Porto.']), box(['Ben', 'I live in Faro.'])]
  assert.deepEqual(await all.give(first), [])
  const made = await all.give(last)
  assert.equal(all.asked.length, 1)
  assert.deepEqual(
    made.map((event) => (event.type === 'FactRecorded' ? [event.text, event.box] : event.type)),
    [['Ann lives in Porto.', first.id], ['Ben lives in Faro.', last.id], 'WindowExtracted'],
  )
  const end = made.at(-1)
  assert.deepEqual(end?.type === 'WindowExtracted' && [end.boxes, end.utterances], [[first.id, last.id], 2])
})

test('a window ends by its utterances, its tokens, or a gap', async () => {
  const asksAfter = async (...given: readonly (readonly Line[])[]) => {
    const all = harness(factExtractor, { parameters: { minWindowUtterances: 100, maxWindowUtterances: 36 } })
    for (const each of given) await all.give(openBox(...each))
    return all.asked.length
  }
  assert.equal(await asksAfter(lines(16), lines(16, 16)), 0)
  assert.equal(await asksAfter(lines(16), lines(16, 16), lines(4, 32)), 1)
  assert.equal(await asksAfter([['Ann', 'word '.repeat(4_100)]]), 1)
  const all = harness(factExtractor)
  await all.give({ ...openBox(...lines(2)), cut: 'gap' })
  assert.equal(all.asked.length, 1)
})

test('windows that are cut by content end at the same places again after a moved boundary', async () => {
  const ends = async (first: number) => {
    const all = harness(factExtractor, { parameters: { minWindowUtterances: 6 } })
    const found: string[] = []
    const sizes = [first, ...Array.from({ length: 40 }, () => 3)]
    let from = 3 - first
    for (const size of sizes) {
      const made = await all.give(openBox(...lines(size, from)))
      from += size
      if (made.length > 0) found.push(`boat ${from}`)
    }
    return found
  }
  const [whole, moved] = [await ends(3), await ends(1)]
  assert.ok(whole.length > 4)
  assert.deepEqual(moved.slice(-3), whole.slice(-3))
})

test('an answer that is cut off loses no line: each box is asked about alone', async () => {
  const all = model(4)
  await all.give(openBox(...lines(4)), box(...lines(3, 4)))
  assert.equal(texts(await all.give(spacePause())).length, 7)
  assert.deepEqual(
    all.asked.map(({ input }) => linesIn(input).length),
    [7, 4, 3],
  )
})

test('a box without an answer of its own affects no other box of its window', async () => {
  const all = model(100, 'boat number 1.')
  await all.give(openBox(...lines(4)))
  const made = await all.give(...withSpacePauses(box(...lines(3, 4))))
  assert.equal(texts(made).length, 3)
  assert.equal(made.at(-1)?.type, 'WindowExtracted')
})

test('a window without any answer is read by a retry, once', async () => {
  let isAway = true
  const facts = [{ ...whole, ...empty, text: 'Ann is here.', sources: ['1'] }]
  const extract = (): Json => (isAway ? { none: 'refused' } : { facts })
  const parameters = { maxWindowUtterances: 2 }
  const all = harness(factExtractor, { answers: { 'extract-facts': extract }, parameters })
  const [first, last] = [openBox(['Ann', 'I am here.']), openBox(['Ann', 'Still.'])]
  assert.deepEqual(await all.give(first, last), [])
  await all.give(openBox(['Ben', 'Hello.']))
  isAway = false
  assert.deepEqual(texts(await all.give(last)), ['Ann is here.'])
})

test('an undone line of an open window is in no ask, and a correction of its evidence holds', async () => {
  const all = harness(factExtractor)
  const first = openBox(['Ann', 'I live in Porto.', { id: 'undone' }], ['Ann', 'I own a boat.', { id: 'corrected' }])
  await all.give(first)
  await all.give(undoOf(['undone']))
  const target = { text: 'Ann owns a boat.', object: 'a boat', relation: 'owns', sources: ['corrected'] }
  await all.give(correction(target))
  const made = await all.give(box(['Ben', 'I live in Faro.']))
  assert.deepEqual(texts(made), ['Ben lives in Faro.'])
  assert.ok(!JSON.stringify(all.asked).includes('Porto'))
})

test('by rules an undo reaches the window of its conversation, however many others are open', async () => {
  const all = harness(factExtractor)
  const [last = '', ...others] = Array.from({ length: 1_002 }, (_, n) => `c${n}`).toSorted((a, b) =>
    hash(a) < hash(b) ? 1 : -1,
  )
  for (const conversation of others) await all.give({ ...openBox(['Ann', 'Hi.']), conversation })
  await all.give({ ...openBox(['Ann', 'I live in Porto.', { id: 'undone' }]), conversation: last })
  await all.give({ ...undoOf(['undone']), conversation: last })
  await all.give({ ...box(['Ben', 'I live in Faro.']), conversation: last })
  assert.ok(!JSON.stringify(all.asked).includes('Porto'))
})

test('with a model the boxes of a space share windows across pauses, in the order of time', async () => {
  const parameters = { leastAtPause: 24, minWindowUtterances: 40, maxWindowUtterances: 40 }
  const all = model(100, 'nothing', parameters)
  await all.give(box(...lines(20)), { ...openBox(...lines(10, 20)), conversation: 'd' })
  const made = await all.give(box(...lines(10, 30)))
  assert.deepEqual(
    all.asked.map(({ input }) =>
      (input as unknown as WindowLines).days.map(({ conversation, lines }) => `${conversation}${lines.length}`),
    ),
    [['c30', 'd10']],
  )
  const facts = made.filter((event): event is FactRecorded => event.type === 'FactRecorded')
  assert.deepEqual(
    facts.filter(({ conversation }) => conversation === 'd').map(({ text }) => text),
    lines(10, 20).map(([, text]) => `Ann says: ${text}`),
  )
  const end = made.at(-1)
  assert.deepEqual(end?.type === 'WindowExtracted' && [end.closedBy, end.utterances], ['utterances', 40])
})

test('with a model a pause of a conversation ends a window of enough utterances, wherever its boundaries are', async () => {
  for (const sizes of [
    [10, 10, 5],
    [3, 20, 2],
  ]) {
    const all = model(100, 'nothing', { leastAtPause: 20 })
    const given = sizes.map((size, at) =>
      openBox(
        ...lines(
          size,
          sizes.slice(0, at).reduce((sum, each) => sum + each, 0),
        ),
      ),
    )
    const last = { ...(given.at(-1) ?? openBox()), cut: 'pause' as const }
    await all.give(...given.slice(0, -1), last, box(...lines(13, 25)))
    assert.deepEqual(
      all.asked.map(({ input }) => linesIn(input).map(({ text }) => text)),
      [lines(25).map(([, text]) => text)],
    )
  }
})

test('a pause of the space ends its window, and later stages learn of it also if no box waits', async () => {
  const all = model(100)
  assert.deepEqual(await all.give(box(...lines(3))), [])
  const [made, again] = [await all.give(spacePause()), await all.give(spacePause())]
  assert.equal(texts(made).length, 3)
  const ends = [...made.slice(-1), ...again].map((event) => event.type === 'WindowExtracted' && event)
  assert.deepEqual(
    ends.map((end) => end && [end.closedBy, end.boxes.length, end.facts]),
    [
      ['pause', 1, 3],
      ['pause', 0, 0],
    ],
  )
  const byRules = harness(factExtractor)
  await byRules.give(openBox(...lines(3)))
  assert.deepEqual(await byRules.give(spacePause()), [])
})

test('a box that is sealed by a pause after the pause of the space ends the window', async () => {
  const all = model(100)
  const early = box(...lines(3))
  const pause = spacePause()
  const late = box(['Ann', 'I own a car.'])
  const made = await all.give(pause, early)
  assert.equal(texts(made).length, 3)
  assert.deepEqual(made.map((event) => event.type === 'WindowExtracted' && event.closedBy).filter(Boolean), [
    'pause',
    'pause',
  ])
  assert.deepEqual(await all.give(late), [], 'a line behind the pause waits for the next one')
})

test('a window that a pause of the space ends without any answer is read by a retry', async () => {
  let isAway = true
  const facts = [{ ...whole, ...empty, text: 'Ann is here.', sources: ['1'] }]
  const all = harness(factExtractor, {
    answers: { 'extract-facts': (): Json => (isAway ? { none: 'refused' } : { facts }) },
  })
  const pause = spacePause()
  const before = await all.give(openBox(['Ann', 'I am here.']), pause)
  isAway = false
  const after = await all.give(pause)
  assert.deepEqual(texts(after), ['Ann is here.'])
  assert.ok(![...all.state.keys()].some((key) => key.includes('\u001funanswered\u001f')), 'nothing is left to retry')
  const ids = [...before, ...after].map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
})

test('a retry asks about no line undone since, and a pause asks nothing if every line is undone', async () => {
  let isAway = true
  const all = harness(factExtractor, {
    answers: { 'extract-facts': (): Json => (isAway ? { none: 'refused' } : { facts: [] }) },
  })
  const [before, pause] = [spacePause(), spacePause()]
  await all.give(openBox(['Ann', 'I have a dog.', { id: 'context' }]), before)
  await all.give(openBox(['Ann', 'My code is 7.', { id: 'secret' }], ['Ann', 'I sail.', { id: 'kept' }]), pause)
  await all.give(undoOf(['secret', 'context']))
  isAway = false
  const asked = all.asked.length
  await all.give(pause)
  const retried = JSON.stringify(all.asked.slice(asked))
  assert.ok(retried.includes('I sail.') && !retried.includes('code') && !retried.includes('dog'))
  const count = all.asked.length
  await all.give(before, openBox(['Ann', 'Gone.', { id: 'gone' }]), undoOf(['gone']))
  const [end] = await all.give(spacePause())
  assert.equal(end?.type === 'WindowExtracted' && end.closedBy, 'pause')
  assert.equal(all.asked.length, count)
})

test('the last lines of a conversation help with its next window, and an undone one is forgotten', async () => {
  const all = model(100)
  const first = openBox(['Ann', 'I have a dog.', { id: 'dog' }], ['Ben', 'How old is your dog?'])
  const other = { ...openBox(['Cem', 'Hello.']), conversation: 'd' }
  await all.give(first, other, spacePause(), undoOf(['dog']), openBox(['Ann', 'Four.']), spacePause())
  const { days } = (all.asked.at(-1)?.input ?? { days: [] }) as unknown as WindowLines
  assert.deepEqual(
    days.map(({ before }) => before),
    [[{ speaker: 'Ben', text: 'How old is your dog?' }]],
  )
})

test('the lines of at most 32 conversations are kept, those of the latest ones', async () => {
  const all = model(100)
  for (let n = 0; n < 40; n++) await all.give({ ...openBox(['Ann', 'Hi.']), conversation: `c${n}` }, spacePause())
  const kept = [...all.state.keys()].filter((key) => key.includes('\u001fcontext\u001f'))
  assert.equal(kept.length, 32)
  assert.ok(kept.some((key) => key.endsWith('c39')) && !kept.some((key) => key.endsWith('c7')))
})
