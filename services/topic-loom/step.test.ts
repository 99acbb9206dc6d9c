import { strictEqual as equal, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import { harness } from '@loomlog/runtime/harness'
import type { Json } from '@loomlog/schemas/ids'
import {
  boxes,
  boxesOf,
  first,
  lastWindow,
  loom,
  minuteMs,
  paused,
  scripted,
  shown,
  type Utterance,
  utterance,
} from './fixture.ts'
import { topicLoom } from './processor.ts'
import type { ShiftInput, ShiftLabel } from './task-types.ts'

test('a shift seals the open box, and its utterance opens the next one', async () => {
  const events = [
    utterance(0, 'the boat'),
    utterance(1, 'its sail'),
    utterance(2, 'taxes discontinuous'),
    utterance(3, 'forms'),
  ]
  same(await boxesOf([...events, paused(4, utterance(3, ''))]), ['shift: u0 u1', 'pause: u2 u3'])
})

test('a partial shift seals a box only if it holds enough utterances', async () => {
  const events = [
    utterance(0, 'the boat'),
    utterance(1, 'its sail partial'),
    utterance(2, 'its crew'),
    utterance(3, 'the port partial'),
  ]
  same(await boxesOf(events, { minUtterancesOnPartial: 3 }), ['shift: u0 u1 u2'])
  same(await boxesOf(events, { minUtterancesOnPartial: 4 }), [])
  same(await boxesOf(events, { minUtterancesOnPartial: 1 }), ['shift: u0', 'shift: u1 u2'])
})

test('a silence longer than the gap seals the box without an ask; one of exactly the gap does not', async () => {
  const gapMs = 10 * minuteMs
  const asLong = [utterance(0, 'the boat'), utterance(1, 'its sail', { at: first + gapMs })]
  same(await boxesOf(asLong, { gapMs }), [])
  const longer = loom({ parameters: { gapMs } })
  same(shown(await longer.give(utterance(0, 'the boat'), utterance(1, 'its sail', { at: first + gapMs + 1 }))), [
    'gap: u0',
  ])
  same(
    longer.asked.map((ask) => ask.task),
    ['describe-box'],
  )
})

test('a jump backwards in time is a gap only if it exceeds the gap', async () => {
  const back = (minutes: number) => [
    utterance(0, 'the boat'),
    utterance(1, 'its sail', { at: first - minutes * minuteMs }),
  ]
  same(await boxesOf(back(11), { gapMs: 10 * minuteMs }), ['gap: u0'])
  same(await boxesOf(back(9), { gapMs: 10 * minuteMs }), [])
})

test('a box whose utterances are out of order records its earliest and latest time', async () => {
  const events = [
    utterance(0, 'the boat'),
    utterance(1, 'its sail', { at: first - minuteMs }),
    utterance(2, 'taxes discontinuous'),
  ]
  const [box] = boxes(await loom().give(...events))
  same([box?.startedAt, box?.endedAt], [first - minuteMs, first])
})

test('a full box is sealed before the next utterance', async () => {
  const events = [0, 1, 2, 3, 4].map((seq) => utterance(seq, 'the boat'))
  same(await boxesOf(events, { maxUtterances: 2 }), ['size: u0 u1', 'size: u2 u3'])
})

test('a box never exceeds its tokens, except with one utterance that is longer', async () => {
  const words = (count: number) => Array.from({ length: count }, () => 'boat').join(' ')
  const events = [words(60), words(60), words(500), words(10)].map((text, seq) => utterance(seq, text))
  same(await boxesOf(events, { maxTokens: 100 }), ['tokens: u0', 'tokens: u1', 'tokens: u2'])
  same(await boxesOf(events, { maxTokens: 150 }), ['tokens: u0 u1', 'tokens: u2'])
})

test('descriptions of attachments count as tokens and are part of the ask', async () => {
  const description = Array.from({ length: 200 }, () => 'boat').join(' ')
  const photo = utterance(0, 'look', { attachments: [{ kind: 'image', description, uri: null }] })
  same(await boxesOf([photo, utterance(1, 'nice')], { maxTokens: 150 }), ['tokens: u0'])
  const stage = loom()
  await stage.give(photo, utterance(1, 'nice'))
  equal(lastWindow(stage)[0]?.text, `look [image: ${description}]`)
})

test('white space counts towards the tokens of a box', async () => {
  const events = [0, 1, 2].map((seq) => utterance(seq, `a${' '.repeat(30_000)}`))
  same(await boxesOf(events), ['tokens: u0', 'tokens: u1'])
})

test('a pause seals the open box and empties the window', async () => {
  const last = utterance(1, 'its sail')
  const stage = loom()
  same(shown(await stage.give(utterance(0, 'the boat'), last, paused(2, last), utterance(3, 'good morning'))), [
    'pause: u0 u1',
  ])
  await stage.give(utterance(4, 'hello'))
  same(lastWindow(stage), [{ speaker: 'Ben', text: 'good morning' }])
})

test('a pause that comes late, twice, or before any utterance is ignored', async () => {
  const one = utterance(0, 'the boat')
  const two = utterance(1, 'its sail')
  const late = [one, two, paused(2, one), utterance(3, 'its crew')]
  same(await boxesOf(late), [])
  same(await boxesOf([...late, paused(4, utterance(3, ''))]), ['pause: u0 u1 u3'])
  same(await boxesOf([one, paused(2, one), paused(3, one)]), ['pause: u0'])
  same(await boxesOf([paused(0, one)]), [])
})

test('the window is the last two lines of the conversation, regardless of earlier answers', async () => {
  const windows = async (shift: ShiftLabel) => {
    const { give, asked } = harness(topicLoom, { answers: { ...scripted, 'classify-shift': () => ({ label: shift }) } })
    await give(...['a', 'b', 'c', 'd'].map((text, seq) => utterance(seq, text)))
    const asks = asked.filter((ask) => ask.task === 'classify-shift').map((ask) => ask.input as ShiftInput)
    return asks.map(({ window, next }) => `${window.map((line) => line.text).join('')}>${next.text}`)
  }
  same(await windows('continuous'), ['a>b', 'ab>c', 'bc>d'])
  same(await windows('discontinuous'), ['a>b', 'ab>c', 'bc>d'])
})

test('a gap empties the window', async () => {
  const stage = loom({ parameters: { gapMs: 10 * minuteMs } })
  await stage.give(utterance(0, 'a'), utterance(1, 'b'), utterance(100, 'c'), utterance(101, 'd'))
  same(lastWindow(stage), [{ speaker: 'Ana', text: 'c' }])
})

test('asks hold content only: no ids, times or positions', async () => {
  const { give, asked } = loom()
  await give(utterance(0, 'the boat'), utterance(1, 'taxes discontinuous'))
  same(asked, [
    {
      task: 'classify-shift',
      input: { window: [{ speaker: 'Ana', text: 'the boat' }], next: { speaker: 'Ben', text: 'taxes discontinuous' } },
    },
    { task: 'describe-box', input: { lines: [{ label: 'u1', speaker: 'Ana', text: 'the boat' }] } },
  ])
})

test('without an answer about a shift the box continues', async () => {
  const events = [utterance(0, 'the boat'), utterance(1, 'its sail none'), utterance(2, 'taxes discontinuous')]
  same(await boxesOf(events), ['shift: u0 u1'])
})

test('without a description a box is sealed with an empty topic', async () => {
  const { give } = loom({ answers: { ...scripted, 'describe-box': () => ({ none: 'the model refused' }) } })
  const [box] = boxes(await give(utterance(0, 'the boat'), utterance(1, 'taxes discontinuous')))
  same([box?.topic, box?.keywords, box?.cut], ['', [], 'shift'])
})

test('conversations of a space do not affect each other', async () => {
  const chat = (seq: number, text: string) => utterance(seq, text, { conversation: 'chat' })
  const events = [
    utterance(0, 'the boat'),
    chat(1, 'the cat'),
    utterance(2, 'its sail'),
    chat(3, 'taxes discontinuous'),
  ]
  const { give } = loom()
  same(shown(await give(...events)), ['shift: u1'])
  same(shown(await give(paused(4, utterance(2, '')), paused(5, chat(3, '')))), ['pause: u0 u2', 'pause: u3'])
})

test('a box cites the utterance that ended it and every utterance in it', async () => {
  const [box] = boxes(
    await loom().give(utterance(0, 'the boat'), utterance(1, 'its sail'), utterance(2, 'taxes discontinuous')),
  )
  same(box?.lineage.causes, ['u2', 'u0', 'u1'])
  same([box?.seq, box?.lineage.method], [2, 'scripted'])
})

test('a box cites the answers that shaped it; both sides of a shift cite the answer that found it', () => {
  const continuous = { label: 'continuous' }
  const discontinuous = { label: 'discontinuous' }
  const boats = { topic: 'boats', keywords: [] }
  const drafts = driven(
    ['the boat', 'its sail', 'taxes', 'forms', 'the cat'].map((text, seq) => utterance(seq, text)),
    [continuous, discontinuous, boats, continuous, discontinuous, boats],
  )
  const completions = drafts.map((draft) => draft.origin.completions)
  same(completions, [
    ['answer-0', 'answer-1', 'answer-2'],
    ['answer-1', 'answer-3', 'answer-4', 'answer-5'],
  ])
})

/** Drives the step by hand, so that each answer has its own key: `answer-<n>`. */
function driven(events: readonly Utterance[], answers: readonly Json[]) {
  const kept = new Map<string, Json | null>()
  let answered = 0
  return events.flatMap((event) => {
    const effects = topicLoom.step(event, topicLoom.parameters, 'test')
    let next = effects.next()
    while (!next.done) {
      const effect = next.value
      if (effect.op === 'put') kept.set(`${effect.record} ${effect.key}`, effect.value)
      const answer = { kind: 'answer', value: answers[answered], by: 'model', completions: [`answer-${answered}`] }
      if (effect.op === 'ask') answered++
      const value = effect.op === 'get' ? (kept.get(`${effect.record} ${effect.key}`) ?? null) : null
      next = effects.next(effect.op === 'ask' ? [answer] : value)
    }
    return next.value
  })
}
