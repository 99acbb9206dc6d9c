import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Box, SpaceMemory, Statement } from './memory.ts'
import { diffSpace } from './space.ts'

const nothing: SpaceMemory = { boxes: [], facts: [], links: [], topicLines: [], profileLines: [] }

function statement(id: string, text: string, sources: readonly string[], under = ''): Statement {
  return { id, text, sources, under }
}

function box(id: string, first: number, last: number): Box {
  const utterances = Array.from({ length: last - first + 1 }, (_, index) => ({
    id: `u${first + index}`,
    seq: first + index,
  }))
  return { id, conversation: 'c', utterances, topic: `box ${id}` }
}

/** The changes, as `kind what: before → after`. */
function diff(before: SpaceMemory, after: SpaceMemory): readonly string[] {
  return diffSpace(before, after).changes.map((change) => {
    return `${change.kind} ${change.what}: ${change.before?.id ?? ''} → ${change.after?.id ?? ''}`
  })
}

test('memories with the same content and other ids have no difference', () => {
  const a = { ...nothing, facts: [statement('f1', 'Ada lives in Porto.', ['u1'])], boxes: [box('b1', 0, 3)] }
  const b = { ...nothing, facts: [statement('f9', 'Ada lives in Porto.', ['u1', 'u2'])], boxes: [box('b9', 0, 3)] }
  const { counts, changes } = diffSpace(a, b)
  assert.deepEqual(changes, [])
  assert.deepEqual([counts.fact.same, counts.boundary.same], [1, 1])
})

test('each of several facts from one utterance is matched with the one of about the same meaning', () => {
  const before = [
    statement('a1', 'Ada moved to Porto in May.', ['u1']),
    statement('a2', 'Ada works as a nurse.', ['u1']),
    statement('a3', 'Ada adopted a cat.', ['u1']),
  ]
  const after = [
    statement('b1', 'Ada adopted a grey cat.', ['u1']),
    statement('b2', 'Ada moved house, to Porto, in May 2023.', ['u1']),
    statement('b3', 'The ferry is cheap.', ['u1']),
  ]
  assert.deepEqual(diff({ ...nothing, facts: before }, { ...nothing, facts: after }), [
    'fact reworded: a1 → b2',
    'fact removed: a2 → ',
    'fact reworded: a3 → b1',
    'fact added:  → b3',
  ])
})

test('the same words from other evidence are another fact', () => {
  const before = { ...nothing, facts: [statement('a', 'Ada sails.', ['u1'])] }
  const after = { ...nothing, facts: [statement('b', 'Ada sails.', ['u7'])] }
  assert.deepEqual(diff(before, after), ['fact removed: a → ', 'fact added:  → b'])
})

test('a boundary shifted by a few utterances has moved; one far away is another', () => {
  const before = { ...nothing, boxes: [box('a1', 0, 4), box('a2', 5, 20), box('a3', 21, 30)] }
  const after = { ...nothing, boxes: [box('b1', 0, 5), box('b2', 6, 11), box('b3', 12, 30)] }
  assert.deepEqual(diff(before, after), ['boundary moved: a2 → b2', 'boundary removed: a3 → ', 'boundary added:  → b3'])
})

test('a line under another heading has moved, and one in other words is reworded', () => {
  const before = [
    statement('a1', 'Ada sails.', ['u1'], 'Boats — Told'),
    statement('a2', 'Ben rows.', ['u2'], 'Boats — Told'),
  ]
  const after = [
    statement('b1', 'Ada sails.', ['u1'], 'Sea — Told'),
    statement('b2', 'Ben rows a skiff.', ['u2'], 'Sea — Told'),
  ]
  assert.deepEqual(diff({ ...nothing, topicLines: before }, { ...nothing, topicLines: after }), [
    'document line moved: a1 → b1',
    'document line reworded: a2 → b2',
  ])
})

test('a link is the same if it joins the same events, and another if one of them differs', () => {
  const events = (letter: string) => [1, 2, 3].map((n) => statement(`${letter}${n}`, `Event number ${n}.`, [`u${n}`]))
  const link = (id: string, previous: string | null, event: string) => ({ id, event, previous, title: 'boats' })
  const before = { ...nothing, facts: events('a'), links: [link('x1', null, 'a1'), link('x2', 'a1', 'a2')] }
  const after = { ...nothing, facts: events('b'), links: [link('y1', null, 'b1'), link('y2', 'b1', 'b3')] }
  assert.deepEqual(diff(before, after), ['link removed: x2 → ', 'link added:  → y2'])
})
