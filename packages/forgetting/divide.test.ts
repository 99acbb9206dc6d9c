import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conversationPauseAfter } from '@loomlog/intake/utterance'
import type { EvidenceRetracted, SourceEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { divide } from './divide.ts'
import type { Selection } from './selection.ts'

const anyone = { utterances: null, speaker: null, conversation: null }
const none = { ...anyone, from: null, to: null, appendedBefore: null, everything: false }
const place = { tenant: 't', space: 's', appendedAt: 1, keyId: null, principal: null }

function said(id: string, speaker: string, conversation = 'c', at = 0): UtteranceAppended {
  const own = { isTimeGiven: true, text: id, attachments: [], metadata: {}, canInstruct: true, role: 'human' } as const
  return { type: 'UtteranceAppended', ...place, ...own, id, speaker, conversation, at }
}

function retracted(utterances: readonly string[], by: string): EvidenceRetracted {
  const own = { conversation: 'c', derivation: null, role: 'human', reason: null, seq: null, at: 5 } as const
  return { type: 'EvidenceRetracted', ...place, ...own, id: `undo ${utterances} by ${by}`, utterances, by }
}

function split(events: readonly SourceEvent[], selection: Partial<Selection>) {
  const { forgotten, kept, unknown } = divide(events, { ...none, ...selection })
  return { forgotten: forgotten.map(({ id }) => id), kept: kept.map(({ id }) => id), unknown }
}

test('a speaker is forgotten in every form of the name, with their own undos, and criteria intersect', () => {
  const events = [said('a', 'Mallory'), said('b', 'Maya'), said('c', 'MALLORY', 'd'), retracted(['b'], 'Mallory')]
  const own = split(events, { speaker: 'mallory' })
  assert.deepEqual(own, { forgotten: ['a', 'c', 'undo b by Mallory'], kept: ['b'], unknown: [] })
  assert.deepEqual(split(events, { speaker: 'mallory', conversation: 'd' }).forgotten, ['c'])
  assert.deepEqual(split(events, { utterances: ['b', 'nope'] }).unknown, ['nope'])
})

test('age counts from the append, not from the time of the utterance', () => {
  const imported = { ...said('old words', 'Maya', 'c', 1), appendedAt: 900 }
  const early = { ...said('early', 'Maya', 'c', 2_000), appendedAt: 500 }
  const undo = { ...retracted(['old words'], 'Maya'), appendedAt: 499 }
  assert.deepEqual(split([early, undo, imported], { appendedBefore: 501 }).forgotten, ['early', undo.id])
  assert.deepEqual(split([early, imported], { appendedBefore: 500 }).forgotten, [])
})

test('no kept event names a forgotten id: an undo loses it, and a pause moves to the last kept utterance', () => {
  const [a, b] = [said('a', 'Maya'), said('b', 'Mallory')]
  const events = [a, b, conversationPauseAfter(b), retracted(['a', 'b'], 'Ines'), retracted(['b'], 'Ines')]
  const { kept } = divide(events, { ...none, speaker: 'Mallory' })
  assert.deepEqual(
    kept.map(({ type }) => type),
    ['UtteranceAppended', 'ConversationPaused', 'EvidenceRetracted'],
  )
  assert.equal(JSON.stringify(kept).includes('"b"'), false)
  assert.deepEqual(kept[1], conversationPauseAfter(a))
  assert.deepEqual(split([b, conversationPauseAfter(b)], { speaker: 'Mallory' }).kept, [])
})
