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
  type Said,
  said,
  scripted,
  shown,
} from './fixture.ts'
import { topicLoom } from './processor.ts'
import type { ShiftInput, ShiftLabel } from './tasks.ts'

test('a shift seals the box before it, and opens the next one with what was said', async () => {
  const events = [said(0, 'the boat'), said(1, 'its sail'), said(2, 'taxes discontinuous'), said(3, 'forms')]
  same(await boxesOf([...events, paused(4, said(3, ''))]), ['shift: u0 u1', 'pause: u2 u3'])
})

test('a partial shift seals a box that holds enough, and goes on with one that does not', async () => {
  const events = [said(0, 'the boat'), said(1, 'its sail partial'), said(2, 'its crew'), said(3, 'the port partial')]
  same(await boxesOf(events, { minUtterancesOnPartial: 3 }), ['shift: u0 u1 u2'])
  same(await boxesOf(events, { minUtterancesOnPartial: 4 }), [])
  same(await boxesOf(events, { minUtterancesOnPartial: 1 }), ['shift: u0', 'shift: u1 u2'])
})

test('a silence longer than the gap seals the box without a question, and one as long as it does not', async () => {
  const gapMs = 10 * minuteMs
  const asLong = [said(0, 'the boat'), said(1, 'its sail', { at: first + gapMs })]
  same(await boxesOf(asLong, { gapMs }), [])
  const longer = loom({ parameters: { gapMs } })
  same(shown(await longer.give(said(0, 'the boat'), said(1, 'its sail', { at: first + gapMs + 1 }))), ['gap: u0'])
  same(
    longer.asked.map((ask) => ask.task),
    ['describe-box'],
  )
})

test('time that runs backwards by more than the gap is a gap, and by less is not', async () => {
  const back = (minutes: number) => [said(0, 'the boat'), said(1, 'its sail', { at: first - minutes * minuteMs })]
  same(await boxesOf(back(11), { gapMs: 10 * minuteMs }), ['gap: u0'])
  same(await boxesOf(back(9), { gapMs: 10 * minuteMs }), [])
})

test('a box whose utterances are out of order says its earliest and latest time', async () => {
  const events = [said(0, 'the boat'), said(1, 'its sail', { at: first - minuteMs }), said(2, 'taxes discontinuous')]
  const [box] = boxes(await loom().give(...events))
  same([box?.startedAt, box?.endedAt], [first - minuteMs, first])
})

test('a full box is sealed before the next utterance', async () => {
  const events = [0, 1, 2, 3, 4].map((seq) => said(seq, 'the boat'))
  same(await boxesOf(events, { maxUtterances: 2 }), ['size: u0 u1', 'size: u2 u3'])
})

test('a box never holds more tokens than allowed, but for an utterance that is longer by itself', async () => {
  const words = (count: number) => Array.from({ length: count }, () => 'boat').join(' ')
  const events = [words(60), words(60), words(500), words(10)].map((text, seq) => said(seq, text))
  same(await boxesOf(events, { maxTokens: 100 }), ['tokens: u0', 'tokens: u1', 'tokens: u2'])
  same(await boxesOf(events, { maxTokens: 150 }), ['tokens: u0 u1', 'tokens: u2'])
})

test('what is shown along with the words counts towards the tokens, and is asked about', async () => {
  const description = Array.from({ length: 200 }, () => 'boat').join(' ')
  const photo = said(0, 'look', { attachments: [{ kind: 'image', description, uri: null }] })
  same(await boxesOf([photo, said(1, 'nice')], { maxTokens: 150 }), ['tokens: u0'])
  const stage = loom()
  await stage.give(photo, said(1, 'nice'))
  equal(lastWindow(stage)[0]?.text, `look [image: ${description}]`)
})

test('white space fills a box like words do', async () => {
  const events = [0, 1, 2].map((seq) => said(seq, `a${' '.repeat(30_000)}`))
  same(await boxesOf(events), ['tokens: u0', 'tokens: u1'])
})

test('a pause seals what is open, and nothing is carried into what follows', async () => {
  const last = said(1, 'its sail')
  const stage = loom()
  same(shown(await stage.give(said(0, 'the boat'), last, paused(2, last), said(3, 'good morning'))), ['pause: u0 u1'])
  await stage.give(said(4, 'hello'))
  same(lastWindow(stage), [{ speaker: 'Ben', text: 'good morning' }])
})

test('a pause that comes late, twice or before anything was said is ignored', async () => {
  const one = said(0, 'the boat')
  const two = said(1, 'its sail')
  const late = [one, two, paused(2, one), said(3, 'its crew')]
  same(await boxesOf(late), [])
  same(await boxesOf([...late, paused(4, said(3, ''))]), ['pause: u0 u1 u3'])
  same(await boxesOf([one, paused(2, one), paused(3, one)]), ['pause: u0'])
  same(await boxesOf([paused(0, one)]), [])
})

test('the window is the last two lines of the conversation, whatever was answered before', async () => {
  const windows = async (shift: ShiftLabel) => {
    const { give, asked } = harness(topicLoom, { answers: { ...scripted, 'classify-shift': () => ({ label: shift }) } })
    await give(...['a', 'b', 'c', 'd'].map((text, seq) => said(seq, text)))
    const asks = asked.filter((ask) => ask.task === 'classify-shift').map((ask) => ask.input as ShiftInput)
    return asks.map(({ window, next }) => `${window.map((line) => line.text).join('')}>${next.text}`)
  }
  same(await windows('continuous'), ['a>b', 'ab>c', 'bc>d'])
  same(await windows('discontinuous'), ['a>b', 'ab>c', 'bc>d'])
})

test('after a gap the window begins anew', async () => {
  const stage = loom({ parameters: { gapMs: 10 * minuteMs } })
  await stage.give(said(0, 'a'), said(1, 'b'), said(100, 'c'), said(101, 'd'))
  same(lastWindow(stage), [{ speaker: 'Ana', text: 'c' }])
})

test('asks are content only: neither ids, times nor places go in', async () => {
  const { give, asked } = loom()
  await give(said(0, 'the boat'), said(1, 'taxes discontinuous'))
  same(asked, [
    {
      task: 'classify-shift',
      input: { window: [{ speaker: 'Ana', text: 'the boat' }], next: { speaker: 'Ben', text: 'taxes discontinuous' } },
    },
    { task: 'describe-box', input: { lines: [{ label: 'u1', speaker: 'Ana', text: 'the boat' }] } },
  ])
})

test('without an answer about a shift the box goes on', async () => {
  const events = [said(0, 'the boat'), said(1, 'its sail none'), said(2, 'taxes discontinuous')]
  same(await boxesOf(events), ['shift: u0 u1'])
})

test('without an answer about its subject a box is sealed with no topic', async () => {
  const { give } = loom({ answers: { ...scripted, 'describe-box': () => ({ none: 'the model refused' }) } })
  const [box] = boxes(await give(said(0, 'the boat'), said(1, 'taxes discontinuous')))
  same([box?.topic, box?.keywords, box?.cut], ['', [], 'shift'])
})

test('conversations of a space do not touch each other', async () => {
  const chat = (seq: number, text: string) => said(seq, text, { conversation: 'chat' })
  const events = [said(0, 'the boat'), chat(1, 'the cat'), said(2, 'its sail'), chat(3, 'taxes discontinuous')]
  const { give } = loom()
  same(shown(await give(...events)), ['shift: u1'])
  same(shown(await give(paused(4, said(2, '')), paused(5, chat(3, '')))), ['pause: u0 u2', 'pause: u3'])
})

test('a box names the utterance that ended it, and every utterance in it', async () => {
  const [box] = boxes(await loom().give(said(0, 'the boat'), said(1, 'its sail'), said(2, 'taxes discontinuous')))
  same(box?.lineage.causes, ['u2', 'u0', 'u1'])
  same([box?.seq, box?.lineage.method], [2, 'scripted'])
})

test('a box names the answers that shaped it; the one that found a shift belongs to both sides of it', () => {
  const continuous = { label: 'continuous' }
  const discontinuous = { label: 'discontinuous' }
  const boats = { topic: 'boats', keywords: [] }
  const drafts = driven(
    ['the boat', 'its sail', 'taxes', 'forms', 'the cat'].map((text, seq) => said(seq, text)),
    [continuous, discontinuous, boats, continuous, discontinuous, boats],
  )
  const completions = drafts.map((draft) => draft.origin.completions)
  same(completions, [
    ['answer-0', 'answer-1', 'answer-2'],
    ['answer-1', 'answer-3', 'answer-4', 'answer-5'],
  ])
})

/** The step by hand, since each answer is to have a key of its own: `answer-<n>`. */
function driven(events: readonly Said[], answers: readonly Json[]) {
  const kept = new Map<string, Json | null>()
  let answered = 0
  return events.flatMap((event) => {
    const effects = topicLoom.step(event, topicLoom.parameters, 'test')
    let next = effects.next()
    while (!next.done) {
      const effect = next.value
      if (effect.op === 'put') kept.set(`${effect.record} ${effect.key}`, effect.value)
      const answer = { none: null, value: answers[answered], by: 'model', completions: [`answer-${answered}`] }
      if (effect.op === 'ask') answered++
      const value = effect.op === 'get' ? (kept.get(`${effect.record} ${effect.key}`) ?? null) : null
      next = effects.next(effect.op === 'ask' ? [answer] : value)
    }
    return next.value
  })
}
