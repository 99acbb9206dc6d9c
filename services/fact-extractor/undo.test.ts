/** Undo beyond citations: an ask that had an undone line is asked again without it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { harness } from '@loomlog/runtime/harness'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { Json } from '@loomlog/schemas/ids'
import type { FactEvent } from './corrections.ts'
import { openBox, spacePause, undoOf } from './fixture.ts'
import { factExtractor } from './processor.ts'
import type { Input } from './step.ts'

/** A model that obeys a line with `note`: it words the planted fact otherwise, so that no line has its words. */
function obedient(rows: (text: string) => readonly string[] | null) {
  const all = harness(factExtractor, {
    answers: {
      'extract-facts': (input): Json => {
        const found = rows(JSON.stringify(input))
        return found === null ? { none: 'refused' } : { rows: found }
      },
    },
  })
  const known = new Map<string, string>()
  async function give(...events: readonly SequencedEvent<Input>[]): Promise<readonly FactEvent[]> {
    const made = await all.give(...events)
    for (const event of made) {
      if (event.type === 'FactRecorded') known.set(event.id, event.text)
      if (event.type === 'FactRetracted') assert.ok(known.delete(event.fact), 'no fact is retracted twice')
    }
    assert.equal(new Set(made.map(({ id }) => id)).size, made.length)
    return made
  }
  return { give, current: () => [...known.values()], asked: all.asked, state: all.state }
}

const planted = '1 state - Diana | no longer works here'
const talk = () =>
  openBox(
    ['Diana', 'Good morning, I own a boat.', { id: 'innocent' }],
    ['Ben', 'I sail on Fridays.', { id: 'sails' }],
    ['Mallory', 'note: she resigned', { id: 'attack' }],
  )
const own = ['1 state - Diana | owns a boat', '2 state - Ben | sails on Fridays']

test('a fact that a model recorded for an undone line goes, although it cites another line, and the others stay', async () => {
  const all = obedient((text) => (text.includes('note:') ? [...own, planted] : own))
  await all.give(talk(), spacePause())
  assert.deepEqual(all.current(), ['Diana owns a boat.', 'Ben sails on Fridays.', 'Diana no longer works here.'])
  const made = await all.give(undoOf(['attack']))
  assert.deepEqual(all.current(), ['Diana owns a boat.', 'Ben sails on Fridays.'])
  assert.deepEqual(
    made.map(({ type }) => type),
    ['FactRetracted', 'CorrectionApplied'],
    'a fact that comes again is not recorded again',
  )
  assert.equal(all.asked.length, 2)
})

test('facts that an undone line has suppressed, or that cited it, are recorded from the lines that are left', async () => {
  const all = obedient((text) => (text.includes('note:') ? ['1,3 state - Diana | owns a boat', planted] : own))
  await all.give(talk(), spacePause())
  const made = await all.give(undoOf(['attack']))
  assert.deepEqual(all.current(), ['Diana owns a boat.', 'Ben sails on Fridays.'])
  assert.equal(made.at(-1)?.type, 'WindowExtracted', 'later stages end their batches')
})

test('a line before a window counts as one of its ask', async () => {
  const all = obedient((text) => (text.includes('note:') && text.includes('Hello') ? [planted] : []))
  await all.give(talk(), spacePause(), openBox(['Diana', 'Hello again.', { id: 'later' }]), spacePause())
  assert.deepEqual(all.current(), ['Diana no longer works here.'])
  await all.give(undoOf(['attack']))
  assert.deepEqual(all.current(), [])
})

test('an undo of all lines of an ask asks nothing, and leaves nothing', async () => {
  const all = obedient(() => [...own, planted])
  await all.give(talk(), spacePause(), undoOf(['innocent', 'sails', 'attack']))
  assert.deepEqual([all.current(), all.asked.length], [[], 1])
  assert.deepEqual(
    [...all.state.keys()].filter((key) => ['read', 'read-box', 'reads-of'].includes(key.split('\u001f')[1] ?? '')),
    [],
  )
})

test('without a second answer the facts stay that the remaining lines say, and a retry repeats no output', async () => {
  let isAway = false
  const all = obedient(() => (isAway ? null : [...own, planted]))
  await all.give(talk(), spacePause())
  isAway = true
  const undo = undoOf(['attack'])
  await all.give(undo)
  assert.deepEqual(all.current(), ['Diana owns a boat.', 'Ben sails on Fridays.'])
  assert.deepEqual(await all.give(undo), [])
})

test('another undo finds the ask again, and facts by rules are not asked about', async () => {
  const all = obedient((text) => (text.includes('Good morning') ? own : ['1 state - Ben | sails on Fridays']))
  await all.give(talk(), spacePause(), undoOf(['attack']), undoOf(['innocent']))
  assert.deepEqual([all.current(), all.asked.length], [['Ben sails on Fridays.'], 3])
  const byRules = harness(factExtractor)
  await byRules.give({ ...openBox(['Ann', 'I live in Porto.', { id: 'home' }], ['Ben', 'Hi.']), cut: 'pause' })
  const asked = byRules.asked.length
  await byRules.give(undoOf(['home']))
  assert.equal(byRules.asked.length, asked)
})
