import { strictEqual as equal, ok, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import { approximateTokens } from '@loomlog/language/tokens'
import { type HarnessOptions, harness } from '@loomlog/runtime/harness'
import type { Sequenced } from '@loomlog/runtime/processor'
import type { BoxSealed, ConversationPaused, DerivedEvent, UtteranceAppended } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import { topicLoom } from './processor.ts'
import type { Parameters } from './step.ts'
import type { BoxText, ShiftInput, ShiftLabel } from './tasks.ts'

type Incoming = Sequenced<UtteranceAppended | ConversationPaused>
type Said = Sequenced<UtteranceAppended>

const minuteMs = 60_000
const first = Date.UTC(2026, 2, 2, 9)
const place = { tenant: 'acme', space: 'team', conversation: 'standup' }

/** The id is the place in the space; an utterance a minute. Ana and Ben take turns. */
function said(seq: number, text: string, more: Partial<UtteranceAppended> = {}): Said {
  const at = first + seq * minuteMs
  const own = { id: `u${seq}`, seq, text, at, appendedAt: at, speaker: seq % 2 === 0 ? 'Ana' : 'Ben' }
  return {
    type: 'UtteranceAppended',
    role: 'human',
    attachments: [],
    metadata: {},
    keyId: null,
    ...place,
    ...own,
    ...more,
  }
}

function paused(seq: number, after: Said): Sequenced<ConversationPaused> {
  const { tenant, space, conversation, at, appendedAt } = after
  const own = { id: `p${seq}`, seq, afterUtterance: after.id, at, appendedAt }
  return { type: 'ConversationPaused', tenant, space, conversation, ...own }
}

/** Each text says how it goes on: `… partial`, `… discontinuous`, `… none`; anything else is continuous. */
const scripted = {
  'classify-shift': (input: Json) => {
    const label = (input as ShiftInput).next.text.split(' ').at(-1) ?? ''
    if (label === 'none') return { none: 'the model refused' }
    return { label: (['partial', 'discontinuous'].includes(label) ? label : 'continuous') as ShiftLabel }
  },
  'describe-box': (input: Json) => ({ topic: `${(input as BoxText).lines.length} lines`, keywords: ['boat'] }),
}

function loom(options: HarnessOptions<Parameters> = {}) {
  return harness(topicLoom, { answers: scripted, ...options })
}

/** What the boxes hold and why they ended: `shift: u0 u1`. */
function shown(events: readonly DerivedEvent[]): string[] {
  return boxes(events).map((box) => `${box.cut}: ${box.utterances.map((utterance) => utterance.id).join(' ')}`)
}

function boxes(events: readonly DerivedEvent[]): BoxSealed[] {
  return events.filter((event) => event.type === 'BoxSealed')
}

function lastWindow({ asked }: ReturnType<typeof loom>): ShiftInput['window'] {
  const ask = asked.findLast(({ task }) => task === 'classify-shift')
  return ask ? (ask.input as ShiftInput).window : []
}

async function boxesOf(events: readonly Incoming[], parameters: Partial<Parameters> = {}): Promise<string[]> {
  return shown(await loom({ parameters }).give(...events))
}

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
  let open: Json | null = null
  let answered = 0
  return events.flatMap((event) => {
    const effects = topicLoom.step(event, topicLoom.parameters)
    let next = effects.next()
    while (!next.done) {
      const effect = next.value
      if (effect.op === 'put') open = effect.value
      const answer = { none: null, value: answers[answered], by: 'model', completions: [`answer-${answered}`] }
      if (effect.op === 'ask') answered++
      next = effects.next(effect.op === 'ask' ? [answer] : open)
    }
    return next.value
  })
}

test('a long text is read in bounded time by the rules, and its box is described within the schema', async () => {
  const paste = 'Lorem ipsum dolor sit amet, do you see it? '.repeat(1_500)
  const word = 'x'.repeat(60_000)
  const { give } = harness(topicLoom, { embedding: () => [127, 0] })
  const started = performance.now()
  const last = said(2, word)
  const sealed = boxes(await give(said(0, paste), said(1, word), last, paused(3, last)))
  same(shown(sealed), ['tokens: u0', 'tokens: u1', 'pause: u2'])
  for (const box of sealed) {
    ok(box.topic.length >= 1 && box.topic.length <= 120, `a topic of ${box.topic.length}`)
    ok(box.keywords.length <= 8 && box.keywords.every((keyword) => keyword.length <= 60))
  }
  ok(performance.now() - started < 5_000)
})

test('whatever is answered, every utterance stands in exactly one box, whole and in order, and no box breaks a limit', async (t) => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  for (let round = 0; round < 40; round++) {
    const { events, given } = history(random)
    const parameters = { maxUtterances: 1 + Math.floor(random() * 6), maxTokens: 40, gapMs: 30 * minuteMs }
    const sealed = boxes(await loom({ parameters }).give(...events))
    for (const [conversation, utterances] of given) {
      const own = sealed.filter((box) => box.conversation === conversation)
      same(
        own.flatMap((box) => box.utterances.map(({ id, text }) => `${id} ${text}`)),
        utterances.map(({ id, text }) => `${id} ${text}`),
        `SEED=${seed}, round ${round}`,
      )
      ok(own.every((box) => box.utterances.length <= parameters.maxUtterances))
      ok(own.every((box) => box.utterances.length === 1 || tokensOf(box) <= parameters.maxTokens))
    }
    equal(new Set(sealed.map((box) => box.id)).size, sealed.length)
    same(
      boxes(await loom({ parameters }).give(...events)),
      sealed,
      `SEED=${seed}: the same history gives the same boxes`,
    )
  }
})

function tokensOf(box: BoxSealed): number {
  return box.utterances.reduce((sum, { text }) => sum + approximateTokens(text), 0)
}

/** Three conversations, interleaved, with jumps in time, late pauses and good ones; each ends in a pause. */
function history(random: () => number) {
  const pick = <T>(...items: readonly T[]) => items[Math.floor(random() * items.length)] as T
  const events: Incoming[] = []
  const given = new Map<string, Said[]>([
    ['a', []],
    ['b', []],
    ['c', []],
  ])
  let at = first
  for (let seq = 0; seq < 40; seq++) {
    const [conversation, before] = pick(...given)
    at += pick(1, 1, 1, 5, 60, -2, -60) * minuteMs
    const text = `${'word '.repeat(pick(1, 2, 30))}${pick('', '', 'partial', 'discontinuous', 'none')}`.trim()
    const next = said(seq * 3, text, { conversation, at })
    const earlier = before.at(-1)
    events.push(next)
    if (earlier && random() < 0.1) events.push(paused(seq * 3 + 1, earlier))
    if (random() < 0.1) events.push(paused(seq * 3 + 2, next))
    before.push(next)
  }
  for (const [i, utterances] of [...given.values()].entries()) {
    const last = utterances.at(-1)
    if (last) events.push(paused(200 + i, last))
  }
  return { events, given }
}

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
