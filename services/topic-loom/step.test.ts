import { strictEqual as equal, ok, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import { harness } from '@loomlog/runtime/harness'
import {
  boxes,
  boxesOf,
  boxSummaries,
  conversationPause,
  end,
  excerpts,
  first,
  type Incoming,
  loom,
  minuteMs,
  utterance,
} from './fixture.ts'
import { topicLoom } from './processor.ts'

test('a shift seals the open box, and its utterance opens the next one', async () => {
  const texts = ['the boat', 'its sail', 'taxes shift', 'forms']
  same(await boxesOf(texts.map((text, seq) => utterance(seq, text))), ['shift: u0 u1', 'pause: u2 u3'])
})

test('a shift is decided when three utterances follow it', async () => {
  const stage = loom()
  const texts = ['the boat', 'its sail', 'taxes shift', 'forms', 'more forms']
  same(boxSummaries(await stage.give(...texts.map((text, seq) => utterance(seq, text)))), [])
  same(boxSummaries(await stage.give(utterance(5, 'a stamp'))), ['shift: u0 u1'])
})

test('by rules the score decides, without an ask to a model', async () => {
  const events = ['the boat', 'its sail', 'taxes', 'forms', 'a stamp'].map((text, seq) => utterance(seq, text))
  const all = harness(topicLoom, { parameters: { shiftScore: 0 } })
  same(boxSummaries(await all.give(...events, ...end(events))), [
    'shift: u0',
    'shift: u1',
    'shift: u2',
    'shift: u3',
    'pause: u4',
  ])
  const none = harness(topicLoom, { parameters: { shiftScore: 1 } })
  same(boxSummaries(await none.give(...events, ...end(events))), ['pause: u0 u1 u2 u3 u4'])
  ok(all.asked.every(({ task }) => task === 'embed'))
})

test('a line is embedded once', async () => {
  const stage = loom()
  const events = [0, 1, 2, 3, 4, 5, 6, 7].map((seq) => utterance(seq, `the boat ${seq}`))
  await stage.give(...events, ...end(events))
  equal(stage.asked.filter(({ task }) => task === 'embed').length, events.length)
})

test('a silence longer than the gap seals the box; one of exactly the gap does not', async () => {
  const gapMs = 10 * minuteMs
  const asLong = [utterance(0, 'the boat'), utterance(1, 'its sail', { at: first + gapMs })]
  same(await boxesOf(asLong, { gapMs }), ['pause: u0 u1'])
  const longer = [utterance(0, 'the boat'), utterance(1, 'its sail', { at: first + gapMs + 1 })]
  same(await boxesOf(longer, { gapMs }), ['gap: u0', 'pause: u1'])
})

test('a gap decides the boundaries that wait', async () => {
  const events = [utterance(0, 'the boat'), utterance(1, 'taxes shift'), utterance(100, 'hello')]
  same(await boxesOf(events, { gapMs: 10 * minuteMs }), ['shift: u0', 'gap: u1', 'pause: u100'])
})

test('a jump backwards in time is a gap only if it exceeds the gap', async () => {
  const back = (minutes: number) => [
    utterance(0, 'the boat'),
    utterance(1, 'its sail', { at: first - minutes * minuteMs }),
  ]
  same(await boxesOf(back(11), { gapMs: 10 * minuteMs }), ['gap: u0', 'pause: u1'])
  same(await boxesOf(back(9), { gapMs: 10 * minuteMs }), ['pause: u0 u1'])
})

test('a box whose utterances are out of order records its earliest and latest time', async () => {
  const events = [
    utterance(0, 'the boat'),
    utterance(1, 'its sail', { at: first - minuteMs }),
    utterance(2, 'taxes shift'),
  ]
  const [box] = boxes(await loom().give(...events, ...end(events)))
  same([box?.startedAt, box?.endedAt], [first - minuteMs, first])
})

test('a full box is sealed before the next utterance', async () => {
  const events = [0, 1, 2, 3, 4].map((seq) => utterance(seq, 'the boat'))
  same(await boxesOf(events, { maxUtterances: 2 }), ['size: u0 u1', 'size: u2 u3', 'pause: u4'])
})

test('a box never exceeds its tokens, except with one utterance that is longer', async () => {
  const words = (count: number) => Array.from({ length: count }, () => 'boat').join(' ')
  const events = [words(60), words(60), words(500), words(10)].map((text, seq) => utterance(seq, text))
  same(await boxesOf(events, { maxTokens: 100 }), ['tokens: u0', 'tokens: u1', 'tokens: u2', 'pause: u3'])
  same(await boxesOf(events, { maxTokens: 150 }), ['tokens: u0 u1', 'tokens: u2', 'pause: u3'])
})

test('large utterances do not wait for those that follow', async () => {
  const stage = loom({ parameters: { maxWaitingTokens: 4_000 } })
  const large = (seq: number) => utterance(seq, `a${' '.repeat(60_000)}`)
  same(boxSummaries(await stage.give(large(0))), [])
  same(boxSummaries(await stage.give(large(1))), ['tokens: u0'])
  same(boxSummaries(await stage.give(large(2))), ['tokens: u1'])
})

test('descriptions of attachments count as tokens and are part of the ask', async () => {
  const description = Array.from({ length: 200 }, () => 'boat').join(' ')
  const photo = utterance(0, 'look', { attachments: [{ kind: 'image', description, uri: null }] })
  const events = [photo, utterance(1, 'nice')]
  same(await boxesOf(events, { maxTokens: 150 }), ['tokens: u0', 'pause: u1'])
  const stage = loom()
  await stage.give(...events, ...end(events))
  ok(excerpts(stage)[0]?.startsWith('1 Ana: look [image: boat'))
})

test('a pause seals the open box, and no later ask shows a line before the pause', async () => {
  const last = utterance(1, 'its sail')
  const stage = loom()
  same(
    boxSummaries(
      await stage.give(utterance(0, 'the boat'), last, conversationPause(2, last), utterance(3, 'good morning')),
    ),
    ['pause: u0 u1'],
  )
  const hello = utterance(4, 'hello')
  await stage.give(hello, conversationPause(5, hello))
  equal(excerpts(stage).at(-1), '1 Ben: good morning\n2 Ana: hello')
})

test('a pause that comes late, twice, or before any utterance is ignored', async () => {
  const one = utterance(0, 'the boat')
  const two = utterance(1, 'its sail')
  const given = async (...events: readonly Incoming[]) => boxSummaries(await loom().give(...events))
  const late = [one, two, conversationPause(2, one), utterance(3, 'its crew')]
  same(await given(...late), [])
  same(await given(...late, conversationPause(4, utterance(3, ''))), ['pause: u0 u1 u3'])
  same(await given(one, conversationPause(2, one), conversationPause(3, one)), ['pause: u0'])
  same(await given(conversationPause(0, one)), [])
})

test('without an answer the rules decide, and the box cites it', async () => {
  const texts = ['the boat none', 'its sail', 'its oars', 'taxes shift', 'forms', 'a stamp']
  const events = texts.map((text, seq) => utterance(seq, text))
  const made = boxes(await loom({ parameters: { shiftScore: 1 } }).give(...events, ...end(events)))
  same(boxSummaries(made), ['shift: u0 u1 u2', 'pause: u3 u4 u5'])
  ok(made[0]?.lineage.completions.includes('scripted'))
})

test('a box has the model’s label of its first line, or else one by rules', async () => {
  const events = ['the boat', 'its sail', 'taxes shift', 'forms'].map((text, seq) => utterance(seq, text))
  const [boat, taxes] = boxes(await loom().give(...events, ...end(events)))
  same([boat?.topic, boat?.keywords, boat?.lineage.method], ['the boat', ['boat', 'sail'], 'rules'])
  same([taxes?.topic, taxes?.keywords, taxes?.lineage.method], ['a matter', ['boat', 'sail'], 'scripted'])
})

test('conversations of a space do not affect each other', async () => {
  const chat = (seq: number, text: string) => utterance(seq, text, { conversation: 'chat' })
  const events = [utterance(0, 'the boat'), chat(1, 'the cat'), utterance(2, 'its sail'), chat(3, 'taxes shift')]
  const { give } = loom()
  same(boxSummaries(await give(...events)), [])
  same(boxSummaries(await give(conversationPause(4, utterance(2, '')), conversationPause(5, chat(3, '')))), [
    'pause: u0 u2',
    'shift: u1',
    'pause: u3',
  ])
})

test('a box cites the event that sealed it, every utterance in it, and no id repeats', async () => {
  const events = [utterance(0, 'the boat'), utterance(1, 'its sail'), utterance(2, 'taxes shift')]
  const [boat, taxes] = boxes(await loom().give(...events, ...end(events)))
  same(boat?.lineage.causes, ['p3', 'u0', 'u1'])
  same(taxes?.lineage.causes, ['p3', 'u2'])
  ok(boat?.id !== taxes?.id)
})

test('a box cites the embeddings by which its boundaries were scored', async () => {
  const embedded = { 'find-shifts': () => ({ new: [] }), embed: () => [1, 0] }
  const events = [utterance(0, 'the boat'), utterance(1, 'its sail')]
  const [box] = boxes(await loom({ answers: embedded }).give(...events, ...end(events)))
  same(box?.lineage.completions, ['scripted'])
})
