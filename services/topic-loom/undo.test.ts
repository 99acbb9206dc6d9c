import { strictEqual as equal, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { DerivedEvent, EvidenceRetracted, UtteranceAppended } from '@loomlog/schemas/events'
import { boxes, boxSummaries, conversationPause, end, excerpts, loom, utterance } from './fixture.ts'
import type { Stretch } from './state.ts'

function undoOf(utterances: readonly string[], derivation: string | null = null): SequencedEvent<EvidenceRetracted> {
  const { tenant, space, conversation, at, appendedAt } = utterance(0, '')
  const who = { by: 'Ana', role: 'human', reason: null, at, appendedAt, keyId: null, principal: null } as const
  const own = { id: `undo ${utterances}`, tenant, space, conversation, seq: 50 }
  return { type: 'EvidenceRetracted', ...own, utterances, derivation, ...who }
}

const retracted = (made: readonly DerivedEvent[]) =>
  made.flatMap((event) => (event.type === 'LinesRetracted' ? [[event.box, [...event.utterances], event.left]] : []))

test('an utterance that is undone before its box is sealed leaves the box and the excerpts', async () => {
  const stage = loom()
  await stage.give(utterance(0, 'the boat'), utterance(1, 'poison'), utterance(2, 'its sail'), undoOf(['u1']))
  const last = utterance(3, 'its crew')
  same(boxSummaries(await stage.give(last, conversationPause(4, last))), ['pause: u0 u2 u3'])
  equal(excerpts(stage).at(-1)?.includes('poison'), false)
})

test('a box whose first utterance is undone keeps its beginning, and loses the label that may quote it', async () => {
  const stage = loom()
  const texts = ['the boat', 'its sail', 'taxes shift', 'forms', 'a stamp', 'a desk', 'a chair']
  const events = texts.map((text, seq) => utterance(seq, text))
  same(boxSummaries(await stage.give(...events)), ['shift: u0 u1'])
  const [box] = boxes(await stage.give(undoOf(['u2']), ...end(events)))
  same([box?.utterances.map(({ id }) => id), box?.lineage.method], [['u3', 'u4', 'u5', 'u6'], 'rules'])
})

test('a pause that names the undone last utterance seals the utterances before it', async () => {
  const stage = loom()
  const events = [utterance(0, 'the boat'), utterance(1, 'poison')]
  const last = utterance(2, 'forget that')
  same(boxSummaries(await stage.give(...events, last, undoOf(['u1', 'u2']), conversationPause(4, last))), ['pause: u0'])
})

test('a pause that names an undone utterance is ignored if another one followed it', async () => {
  const stage = loom()
  const [first, undone, last] = [utterance(0, 'the boat'), utterance(1, 'poison'), utterance(2, 'its sail')]
  same(await stage.give(first, undone, undoOf(['u1']), last, conversationPause(4, undone)), [])
  same(boxSummaries(await stage.give(conversationPause(5, last))), ['pause: u0 u2'])
})

test('the label of an open box stays if a line far before it is undone', async () => {
  const texts = [
    'the boat',
    'its sail',
    'taxes',
    'forms',
    'a stamp',
    'a desk',
    'the cat shift',
    'its tail',
    'its paw',
    'its ear',
  ]
  const events = texts.map((text, seq) => utterance(seq, text))
  const topics = async (undone: string) => {
    const stage = loom()
    await stage.give(...events, undoOf([undone]))
    return boxes(await stage.give(...end(events))).map(({ topic }) => topic)
  }
  same(await topics('u0'), ['a matter'])
  equal((await topics('u7')).includes('a matter'), false)
})

test('an undone line leaves the score: later lines are scored as without it', async () => {
  const texts = ['the boat', 'poison', 'its sail', 'the mast', 'its crew']
  const events = texts.map((text, seq) => utterance(seq, text))
  const vectors = { embed: (text: unknown) => [String(text).length, 7, String(text).charCodeAt(0)] }
  const scores = async (...given: readonly SequencedEvent<UtteranceAppended | EvidenceRetracted>[]) => {
    const stage = loom({ answers: vectors, parameters: { shiftScore: 1 } })
    await stage.give(...given)
    const open = [...stage.state].find(([key]) => key.includes('stretch'))?.[1] as unknown as Stretch
    return open.readings.map(({ near }) => near)
  }
  const [one, two, ...rest] = events
  if (!one || !two) throw new Error('two events are given')
  same(await scores(one, two, ...rest, undoOf(['u1'])), await scores(one, ...rest))
})

test('an open stretch without utterances is never sealed', async () => {
  const stage = loom()
  await stage.give(utterance(0, 'the boat'), undoOf(['u0']), utterance(1, 'taxes'))
  same(boxSummaries(await stage.give(conversationPause(2, utterance(1, '')))), ['pause: u1'])
})

test('a sealed box reports the retracted utterances and the number of remaining ones', async () => {
  const stage = loom()
  const events = [utterance(0, 'the boat'), utterance(1, 'its sail'), utterance(2, 'taxes shift')]
  const box = boxes(await stage.give(...events, ...end(events)))[0]?.id
  same(retracted(await stage.give(undoOf(['u0']))), [[box, ['u0'], 1]])
  same(retracted(await stage.give(undoOf(['u0', 'u1']))), [[box, ['u1'], 0]])
})

test('an undo for another derivation changes nothing', async () => {
  const stage = loom()
  const events = [utterance(0, 'the boat'), utterance(1, 'taxes shift')]
  await stage.give(...events, ...end(events))
  same(await stage.give(undoOf(['u0', 'u1'], 'other')), [])
  same(retracted(await stage.give(undoOf(['u0', 'u1'], 'test'))).length, 2)
})
