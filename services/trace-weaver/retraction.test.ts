import { strictEqual as equal, ok, deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import type { DerivedEvent, EvidenceRetracted, MemoryCorrected } from '@loomlog/schemas/events'
import { boat, boatBox, box, records, traceEvents, weave, weaver, woven } from './fixture.ts'
import type { Strand } from './state.ts'

const place = { tenant: 'acme', space: 'team', conversation: 'c' } as const
const who = { by: 'Tomas', role: 'human', reason: null, at: 0, appendedAt: 0, keyId: null } as const

function correction(
  text: string,
  sources: readonly string[],
  better: string | null = null,
): SequencedEvent<MemoryCorrected> {
  const target = { memory: '', kind: 'event', text, subject: 'Tomas', relation: '', object: '', others: [], sources }
  const words = { text: better, kind: 'event', subject: 'Tomas', relation: '', object: '', when: null } as const
  const action = better === null ? 'retract' : 'replace'
  const own = { id: `correct ${text}`, seq: 9_000, action, ...place } as const
  const telling = { persons: ['Tomas'], keywords: ['boat', 'Andorinha'] }
  return { type: 'MemoryCorrected', ...own, target: { ...target, saidAt: 5 }, ...words, ...telling, ...who }
}

function undoing(utterances: readonly string[], derivation: string | null = null): SequencedEvent<EvidenceRetracted> {
  return { type: 'EvidenceRetracted', id: `undo ${utterances}`, seq: 9_001, ...place, utterances, derivation, ...who }
}

const retracted = (made: readonly DerivedEvent[]) => made.filter((event) => event.type === 'EventRetracted')

test('a retracted event leaves its trace: its links end, and the others keep their positions and give the title', async () => {
  const { run, events, links } = await weave(boat)
  const repaired = events.find((event) => event.text.includes('repaired'))
  const made = await run.give(correction(repaired?.text ?? '', ['u-1-1']))
  const [gone, ...more] = retracted(made)
  same([gone?.event, more.length], [repaired?.id, 0])
  same(
    gone?.links,
    links.filter((link) => link.event === repaired?.id).map((link) => link.id),
  )
  const retitled = made.find((event) => event.type === 'TraceRetitled')
  ok(retitled?.type === 'TraceRetitled' && !/hull|repair/i.test(retitled.title), 'its words are in no title')
  same(
    retitled?.links,
    links.filter((link) => link.event !== repaired?.id).map((link) => link.id),
  )
  const next = traceEvents(await run.give(box(9, 'Tomas: I sold the boat Andorinha yesterday.')))
  equal(next.links.at(-1)?.position, links.length)
})

test('an event that waits for another box and is retracted is never linked', async () => {
  const { run, weaves } = weaver()
  const { events } = await weaves(boatBox(0, 'bought'))
  equal(retracted(await run.give(undoing(['u-0-1']))).length, 1)
  same(records(run.state, 'strand'), [])
  const { links } = await weaves(boatBox(1, 'repaired'), ['bought', 1])
  same([links, events.length], [[], 1])
})

test('a box that is sealed after the correction does not bring the event back', async () => {
  const run = woven()
  await run.give(correction('Tomas bought a wooden boat called Andorinha on 1 March 2026.', ['u-0-1']))
  equal(traceEvents(await run.give(boat[0] as (typeof boat)[number])).events.length, 0)
})

test('an event that a person states by a correction is woven like others', async () => {
  const { run, events, links } = await weave(boat.slice(0, 2))
  const made = await run.give(
    correction(events[1]?.text ?? '', ['u-1-1'], 'Tomas repaired a wooden boat called Andorinha.'),
  )
  const { events: stated, links: more } = traceEvents(made)
  same([stated.length, stated[0]?.lineage.method, stated[0]?.toldAt], [1, 'person', 5])
  same([retracted(made).length, more.at(-1)?.position], [1, links.length])
})

test('events without an answer about links can be retracted, and stay retracted after the retry', async () => {
  let answer: (typeof answers)[keyof typeof answers] = { none: 'it was refused' }
  const answers = { none: { none: 'it was refused' }, links: { links: [{ label: 't1', score: 1 }] } }
  const run = woven({ answers: { 'verify-links': () => answer } })
  const [bought, repaired] = boat
  if (!bought || !repaired) return
  await run.give(bought, repaired, undoing(['u-1-1']))
  answer = answers.links
  const made = await run.give(repaired)
  same([traceEvents(made).links.length, retracted(made).length], [0, 1])
})

test('an undo for another derivation changes nothing', async () => {
  const { run } = await weave(boat)
  same(await run.give(undoing(['u-0-1'], 'other')), [])
  equal(retracted(await run.give(undoing(['u-0-1'], 'test'))).length, 1)
})

test('a strand counts its remaining events', async () => {
  const { run, events } = await weave(boat)
  await run.give(undoing(['u-0-1', 'u-1-1', 'u-3-2', 'u-4-1']))
  for (const [, value] of records(run.state, 'strand')) {
    const { recent, waiting, events: count } = value as unknown as Strand
    ok(
      count > 0 &&
        [...recent, ...waiting].every((each) => each.event === events.find((e) => e.text.includes('talk'))?.id),
    )
  }
})
