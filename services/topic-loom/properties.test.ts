import { strictEqual as equal, ok, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import { approximateTokens } from '@loomlog/language/tokens'
import { harness } from '@loomlog/runtime/harness'
import type { BoxSealed } from '@loomlog/schemas/events'
import { seededRandom, testSeed } from '../../test/seeded-random.ts'
import {
  boxes,
  boxSummaries,
  conversationPause,
  first,
  type Incoming,
  loom,
  minuteMs,
  type Utterance,
  utterance,
} from './fixture.ts'
import { topicLoom } from './processor.ts'

test('the label of a box of long texts fits the schema', async () => {
  const sealed = await sealedFrom(60_000)
  same(boxSummaries(sealed), ['tokens: u0', 'tokens: u1', 'pause: u2'])
  for (const box of sealed) {
    ok(box.topic.length >= 1 && box.topic.length <= 120, `a topic of ${box.topic.length}`)
    ok(box.keywords.length <= 8 && box.keywords.every((keyword) => keyword.length <= 60))
  }
})

test('the rules take at most about four times as long for four times the text', async () => {
  const cpuMs = async (characters: number) => {
    const before = process.cpuUsage()
    await sealedFrom(characters)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
  await cpuMs(1_000)
  const [short, long] = [await cpuMs(15_000), await cpuMs(60_000)]
  // Quadratic rules would take sixteen times as long. Below 20 ms the time is mostly noise.
  ok(long / Math.max(short, 20) < 9, `${short.toFixed(1)} ms, then ${long.toFixed(1)} ms`)
})

async function sealedFrom(characters: number): Promise<BoxSealed[]> {
  const paste = 'Lorem ipsum dolor sit amet, do you see it? '.repeat(characters / 40)
  const { give } = harness(topicLoom, { embedding: () => [127, 0] })
  const last = utterance(2, 'x'.repeat(characters))
  return boxes(await give(utterance(0, paste), utterance(1, last.text), last, conversationPause(3, last)))
}

test('with any answers, every utterance is in exactly one box, whole and in order, and no box exceeds a limit', async (t) => {
  const seed = testSeed()
  t.diagnostic(`LOOMLOG_SEED=${seed}`)
  const random = seededRandom(seed)
  for (let round = 0; round < 40; round++) {
    const { events, given } = history(random)
    const limits = { maxUtterances: 1 + Math.floor(random() * 6), maxTokens: 40, maxWaitingTokens: 100 }
    const block = 1 + Math.floor(random() * 9)
    const blocks = { minBlockUtterances: block, maxBlockUtterances: 2 * block }
    const parameters = { ...limits, ...blocks, gapMs: 30 * minuteMs }
    const sealed = boxes(await loom({ parameters }).give(...events))
    for (const [conversation, utterances] of given) {
      const own = sealed.filter((box) => box.conversation === conversation)
      same(
        own.flatMap((box) => box.utterances.map(({ id, text }) => `${id} ${text}`)),
        utterances.map(({ id, text }) => `${id} ${text}`),
        `LOOMLOG_SEED=${seed}, round ${round}`,
      )
      ok(own.every((box) => box.utterances.length <= parameters.maxUtterances))
      ok(own.every((box) => box.utterances.length === 1 || tokensOf(box) <= parameters.maxTokens))
    }
    equal(new Set(sealed.map((box) => box.id)).size, sealed.length)
    same(
      boxes(await loom({ parameters }).give(...events)),
      sealed,
      `LOOMLOG_SEED=${seed}: the same history gives the same boxes`,
    )
  }
})

function tokensOf(box: BoxSealed): number {
  return box.utterances.reduce((sum, { text }) => sum + approximateTokens(text), 0)
}

/** Three interleaved conversations with jumps in time, late and timely pauses; each ends in a pause. */
function history(random: () => number) {
  const pick = <T>(...items: readonly T[]) => items[Math.floor(random() * items.length)] as T
  const events: Incoming[] = []
  const given = new Map<string, Utterance[]>([
    ['a', []],
    ['b', []],
    ['c', []],
  ])
  let at = first
  for (let seq = 0; seq < 40; seq++) {
    const [conversation, before] = pick(...given)
    at += pick(1, 1, 1, 5, 60, -2, -60) * minuteMs
    const text = `${'word '.repeat(pick(1, 2, 30))}${pick('', '', 'shift', 'shift', 'none')}`.trim()
    const next = utterance(seq * 3, text, { conversation, at })
    const earlier = before.at(-1)
    events.push(next)
    if (earlier && random() < 0.1) events.push(conversationPause(seq * 3 + 1, earlier))
    if (random() < 0.1) events.push(conversationPause(seq * 3 + 2, next))
    before.push(next)
  }
  for (const [i, utterances] of [...given.values()].entries()) {
    const last = utterances.at(-1)
    if (last) events.push(conversationPause(200 + i, last))
  }
  return { events, given }
}
