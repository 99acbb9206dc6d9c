import { strictEqual as equal, ok, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { DerivedEvent, EvidenceRetracted, FactRecorded } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import {
  boat,
  boatWindow,
  fact,
  records,
  retraction,
  spokenWindow,
  traceEvents,
  type WeaverInput,
  weave,
  weaver,
  weaverHarness,
} from './fixture.ts'
import type { Bucket, Strand } from './state.ts'

function undoing(utterances: readonly string[], derivation: string | null): SequencedEvent<EvidenceRetracted> {
  const place = { tenant: 'acme', space: 'team', conversation: 'c', seq: 9_001 } as const
  const who = { by: 'Tomas', role: 'human', reason: null, at: 0, appendedAt: 0, keyId: null, principal: null } as const
  return { type: 'EvidenceRetracted', id: `undo ${utterances}`, ...place, utterances, derivation, ...who }
}

const retracted = (made: readonly DerivedEvent[]) => made.filter((event) => event.type === 'EventRetracted')
const textOf = (window: readonly WeaverInput[] = []) =>
  window.find((event): event is FactRecorded => event.type === 'FactRecorded')

test('a retracted fact leaves its trace: its links end, and the others keep their positions and give the title', async () => {
  const { run, links } = await weave(boat)
  const repaired = links.find(({ box }) => box === 'box-1')?.event ?? ''
  const made = await run.give(retraction(repaired))
  const [gone, ...more] = retracted(made)
  same([gone?.event, more.length], [repaired, 0])
  same(
    gone?.links,
    links.filter((link) => link.event === repaired).map((link) => link.id),
  )
  const retitled = made.find((event) => event.type === 'TraceRetitled')
  ok(retitled?.type === 'TraceRetitled' && !/hull|repair/i.test(retitled.title), 'its words are in no title')
  same(
    retitled?.links,
    links.filter((link) => link.event !== repaired).map((link) => link.id),
  )
  const next = traceEvents(await run.give(...spokenWindow(9, 'Tomas: I sold the boat Andorinha yesterday.')))
  equal(next.links.at(-1)?.position, links.length)
})

test('an event that waits for another box and is retracted is never linked', async () => {
  const { run, weaves } = weaver()
  await weaves(boatWindow(0, 'bought'))
  same(await run.give(retraction('f-0-1-0')), [])
  same(records(run.state, 'strand'), [])
  same((await weaves(boatWindow(1, 'repaired'), 'bought')).links, [])
})

test('an event that is retracted before its window ends is never linked', async () => {
  const [bought = [], repaired = []] = boat
  const early = [...bought.slice(0, -1), retraction('f-0-1-0'), ...bought.slice(-1)]
  const { run, links } = await weave([early, repaired])
  same([links, records(run.state, 'woven').map(([, each]) => typeof each)], [[], ['string', 'object']])
})

test('a fact that a person states by a correction is woven at once', async () => {
  const { run, links } = await weave(boat.slice(0, 2))
  const old = links[1]?.event ?? ''
  const correction = { id: 'x', action: 'replace', by: 'Tomas', replaced: [old], ended: [] } as const
  const lineage = { derivation: 'test', method: 'person', causes: [], completions: [] }
  const stated = fact(2, 'stated', { ...textOf(boat[1]), id: 'stated', box: '', correction, lineage })
  const more = traceEvents(await run.give(stated)).links
  same([more.length, more[0]?.event, more[0]?.box, more[0]?.position], [1, 'stated', 'x', links.length])
  equal(retracted(await run.give(retraction(old))).length, 1)
})

test('events without an answer about links can be retracted, and stay retracted after the retry', async () => {
  let answer: Json = { none: 'it was refused' }
  const run = weaverHarness({ parameters: { askAbove: 0, askBelow: 2 }, answers: { 'verify-links': () => answer } })
  const [bought = [], repaired = []] = boat
  await run.give(...bought, ...repaired, retraction('f-1-1-0'))
  answer = { links: ['e1 m1'] }
  same(await run.give(...repaired.slice(-1)), [])
})

test('an undo for this derivation ends the links of its utterances, and no later fact of them is woven', async () => {
  const { run } = await weave(boat)
  for (const other of ['other', null]) same(await run.give(undoing(['u-0-1'], other)), [])
  equal(retracted(await run.give(undoing(['u-0-1'], 'test'))).length, 1)
  const late = fact(8, 'late', { ...textOf(boat[0]), id: 'late' })
  await run.give(late)
  ok(!records(run.state, 'woven').some(([id]) => id === 'late'))
})

test('a pinned event outlasts an undo of its utterances, before and after it', async () => {
  const correction = { id: 'x', action: 'pin', by: 'Tomas', replaced: ['f-0-1-0'], ended: [] } as const
  const pin = fact(8, 'pin', { ...textOf(boat[0]), id: 'pin', box: '', sources: ['u-0-1', 'x'], correction })
  const undo = undoing(['u-0-1'], 'test')
  for (const given of [
    [undo, pin],
    [pin, undo],
  ]) {
    const { run } = await weave(boat)
    await run.give(...given)
    const shares = new Map(records(run.state, 'woven'))
    same([shares.get('f-0-1-0'), typeof shares.get('pin')], ['retracted', 'object'])
  }
})

/** A trace of five events in five boxes, and the ids of its events. */
async function longTrace() {
  const { run, weaves } = weaver()
  const verbs = ['bought', 'repaired', 'painted', 'launched', 'sold']
  for (const [number, verb] of verbs.entries()) await weaves(boatWindow(number, verb), ...verbs)
  return { run, weaves, verbs, events: verbs.map((_, number) => `f-${number}-1-0`) }
}

test('a trace continues from its last remaining event when its newest events are retracted', async () => {
  const { run, weaves, verbs, events } = await longTrace()
  await run.give(...events.slice(-3).map(retraction))
  const [strand] = records(run.state, 'strand').map(([, value]) => value as Strand)
  same(
    strand?.recent.map(({ event }) => event),
    events.slice(0, 2),
  )
  const { links } = await weaves(boatWindow(5, 'insured'), ...verbs)
  same(
    links.map(({ position, previous }) => [position, previous]),
    [[5, events[1]]],
  )
})

test('a strand whose events are all retracted leaves every bucket', async () => {
  for (const order of [(all: readonly string[]) => all, (all: readonly string[]) => all.toReversed()]) {
    const { run, events } = await longTrace()
    await run.give(...order(events).map(retraction))
    same(records(run.state, 'strand'), [])
    same(
      records(run.state, 'bucket').flatMap(([, value]) => (value as Bucket).strands),
      [],
    )
  }
})

test('the title of a trace whose strand is deleted comes from its remaining events', async () => {
  const { run, events } = await longTrace()
  for (const key of run.state.keys()) if (key.includes('strand')) (run.state as Map<string, Json>).delete(key)
  const made = await run.give(retraction(events[1] ?? ''))
  const retitled = made.find((event) => event.type === 'TraceRetitled')
  ok(retitled?.type === 'TraceRetitled')
  same([retitled.links.length, retitled.title], [4, 'Andorinha, boat'])
})

test('a strand counts its remaining events', async () => {
  const { run, facts } = await weave(boat)
  for (const each of facts)
    if (each.type === 'FactRecorded' && !each.id.startsWith('f-2')) await run.give(retraction(each.id))
  const left = records(run.state, 'strand').map(
    ([, value]) => value as { events: number; waiting: { event: string }[] },
  )
  same(
    left.map(({ events, waiting }) => [events, waiting.map(({ event }) => event)]),
    [[1, ['f-2-1-0']]],
  )
})
