import { deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import type { Sequenced } from '@loomlog/runtime/processor'
import type { DerivedEvent, EvidenceRetracted } from '@loomlog/schemas/events'
import { boxes, lastWindow, loom, paused, said, shown } from './fixture.ts'

function undoing(utterances: readonly string[], derivation: string | null = null): Sequenced<EvidenceRetracted> {
  const { tenant, space, conversation, at, appendedAt } = said(0, '')
  const who = { by: 'Ana', role: 'human', reason: null, at, appendedAt, keyId: null } as const
  const own = { id: `undo ${utterances}`, tenant, space, conversation, seq: 50 }
  return { type: 'EvidenceRetracted', ...own, utterances, derivation, ...who }
}

const retracted = (made: readonly DerivedEvent[]) =>
  made.flatMap((event) => (event.type === 'LinesRetracted' ? [[event.box, [...event.utterances], event.left]] : []))

test('what is undone before its box is sealed is never in one, and no part of the window', async () => {
  const stage = loom()
  await stage.give(said(0, 'the boat'), said(1, 'poison'), said(2, 'its sail'), undoing(['u1']), said(3, 'its crew'))
  same(
    lastWindow(stage).map((line) => line.text),
    ['the boat', 'its sail'],
  )
  same(shown(await stage.give(paused(4, said(3, '')))), ['pause: u0 u2 u3'])
})

test('a box that is left with nothing never is', async () => {
  const stage = loom()
  await stage.give(said(0, 'the boat'), undoing(['u0']), said(1, 'taxes'))
  same(shown(await stage.give(paused(2, said(1, '')))), ['pause: u1'])
})

test('a sealed box says what it no longer shows, and how much is left', async () => {
  const stage = loom()
  const sealed = await stage.give(said(0, 'the boat'), said(1, 'its sail'), said(2, 'taxes discontinuous'))
  const box = boxes(sealed)[0]?.id
  same(retracted(await stage.give(undoing(['u0']))), [[box, ['u0'], 1]])
  same(retracted(await stage.give(undoing(['u0', 'u1']))), [[box, ['u1'], 0]])
})

test('undoing what another derivation made changes nothing here', async () => {
  const stage = loom()
  await stage.give(said(0, 'the boat'), said(1, 'taxes discontinuous'))
  same(await stage.give(undoing(['u0', 'u1'], 'other')), [])
  same(retracted(await stage.give(undoing(['u0', 'u1'], 'test'))).length, 1)
})
