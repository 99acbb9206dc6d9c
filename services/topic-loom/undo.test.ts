import { deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { DerivedEvent, EvidenceRetracted } from '@loomlog/schemas/events'
import { boxes, lastWindow, loom, paused, shown, utterance } from './fixture.ts'

function undoOf(utterances: readonly string[], derivation: string | null = null): SequencedEvent<EvidenceRetracted> {
  const { tenant, space, conversation, at, appendedAt } = utterance(0, '')
  const who = { by: 'Ana', role: 'human', reason: null, at, appendedAt, keyId: null } as const
  const own = { id: `undo ${utterances}`, tenant, space, conversation, seq: 50 }
  return { type: 'EvidenceRetracted', ...own, utterances, derivation, ...who }
}

const retracted = (made: readonly DerivedEvent[]) =>
  made.flatMap((event) => (event.type === 'LinesRetracted' ? [[event.box, [...event.utterances], event.left]] : []))

test('an utterance that is undone before its box is sealed leaves the box and the window', async () => {
  const stage = loom()
  await stage.give(
    utterance(0, 'the boat'),
    utterance(1, 'poison'),
    utterance(2, 'its sail'),
    undoOf(['u1']),
    utterance(3, 'its crew'),
  )
  same(
    lastWindow(stage).map((line) => line.text),
    ['the boat', 'its sail'],
  )
  same(shown(await stage.give(paused(4, utterance(3, '')))), ['pause: u0 u2 u3'])
})

test('an open box without utterances is never sealed', async () => {
  const stage = loom()
  await stage.give(utterance(0, 'the boat'), undoOf(['u0']), utterance(1, 'taxes'))
  same(shown(await stage.give(paused(2, utterance(1, '')))), ['pause: u1'])
})

test('a sealed box reports the retracted utterances and the number of remaining ones', async () => {
  const stage = loom()
  const sealed = await stage.give(
    utterance(0, 'the boat'),
    utterance(1, 'its sail'),
    utterance(2, 'taxes discontinuous'),
  )
  const box = boxes(sealed)[0]?.id
  same(retracted(await stage.give(undoOf(['u0']))), [[box, ['u0'], 1]])
  same(retracted(await stage.give(undoOf(['u0', 'u1']))), [[box, ['u1'], 0]])
})

test('an undo for another derivation changes nothing', async () => {
  const stage = loom()
  await stage.give(utterance(0, 'the boat'), utterance(1, 'taxes discontinuous'))
  same(await stage.give(undoOf(['u0', 'u1'], 'other')), [])
  same(retracted(await stage.give(undoOf(['u0', 'u1'], 'test'))).length, 1)
})
