import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Harness, harness } from '@loomlog/runtime/harness'
import type { BoxSealed, FactRecorded } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import type { FactEvent } from './corrections.ts'
import { box, type Line, withSpacePauses } from './fixture.ts'
import { factExtractor } from './processor.ts'
import type { Input } from './step.ts'
import type { WindowLines } from './task-types.ts'

async function facts(stage: Harness<Input, FactEvent>, given: BoxSealed): Promise<readonly FactRecorded[]> {
  return (await stage.give(...withSpacePauses(given))).filter(
    (event): event is FactRecorded => event.type === 'FactRecorded',
  )
}

function texts(events: readonly FactEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'FactRecorded' ? [event.text] : []))
}

function harnessAnswering(...found: readonly object[]) {
  const whole = { kind: 'state', subject: 'Ann', relation: 'is', object: '', when: null, location: null }
  const empty = { persons: [], entities: [], keywords: [] }
  const all = found.map((fact) => ({ ...whole, ...empty, text: 'Ann is here.', sources: ['u1'], ...fact }))
  return harness(factExtractor, { answers: { 'extract-facts': () => ({ facts: all }) as Json } })
}

test('facts by rules have names, dates and the cited utterance', async () => {
  const [fact, ...others] = await facts(harness(factExtractor), box(['Ann', 'I bought a boat yesterday.']))
  assert.equal(others.length, 0)
  assert.equal(fact?.text, 'Ann bought a boat on 1 March 2026.')
  assert.equal(fact?.lineage.method, 'rules')
  assert.deepEqual(fact?.when?.from, Date.UTC(2026, 2, 1))
  assert.match(fact?.sources[0] ?? '', /^b\d+-0$/)
})

test('lines before the box help to resolve its words', async () => {
  const all = harness(factExtractor)
  await facts(all, box(['Ann', 'I have a dog named Rufo.'], ['Ben', 'How old is your dog?']))
  await facts(all, box(['Ann', 'Well, the vet saw Rufo.']))
  const { stretches } = (all.asked.at(-1)?.input ?? { stretches: [] }) as unknown as WindowLines
  const [{ before, participants } = { before: [], participants: [] }] = stretches
  assert.deepEqual(
    before.map(({ speaker }) => speaker),
    ['Ann', 'Ben'],
  )
  assert.deepEqual(participants, ['Ann', 'Ben'])
})

test('by rules only people’s lines give facts: no tool’s output, and no draft that an agent writes for somebody', async () => {
  const given = box(['shop', 'I live in Porto.', { role: 'tool' }], ['Scout', 'I live in Porto.', { role: 'agent' }])
  assert.deepEqual(await facts(harness(factExtractor), given), [])
})

test('by rules only English lines give facts, and a short line has the language of its conversation', async () => {
  const stage = harness(factExtractor)
  const german = await stage.give(
    box(
      ['Jana', 'Ich wohne jetzt in Linz und arbeite bei der Bahn.'],
      ['Ben', 'I live in Porto. I own a boat.'],
      ['Jana', 'Schön, dann komme ich dich im Sommer besuchen.'],
    ),
    box(['Jana', 'Max war in Berlin.'], ['Jana', 'Im Mai ziehe ich nach Graz um.']),
  )
  assert.deepEqual(texts(german), ['Ben lives in Porto.', 'Ben owns a boat.'])
  const other = [
    'Mi hermana vive en Sevilla desde 2020.',
    'Me mudé a Oporto en marzo.',
    '我上个月搬到杭州了。',
    '我在银行工作。',
  ]
  assert.deepEqual(texts(await harness(factExtractor).give(box(...other.map((text): Line => ['Ann', text])))), [])
})

test('a fact that a model finds in an agent’s line has the agent’s role', async () => {
  const given = box(['Scout', 'I live in Porto.', { role: 'agent' }])
  const found = await facts(harnessAnswering({ text: 'Scout lives in Porto.', sources: ['u1'] }), given)
  assert.deepEqual(
    found.map((fact) => fact.role),
    ['agent'],
  )
})

test('an ask holds no id, offset or box, so the same words are the same ask', async () => {
  const lines: readonly Line[] = [['Ann', 'I live in Porto.']]
  const [one, other] = [harness(factExtractor), harness(factExtractor)]
  await one.give(box(...lines))
  await other.give(box(...lines))
  assert.deepEqual(one.asked, other.asked)
})

test('a source outside of the box is dropped, and so is a fact without a source', async () => {
  const found = await facts(
    harnessAnswering(
      { text: 'One.', sources: ['u9', 'u1', 'u1'] },
      { text: 'Two.', sources: ['u9'] },
      { text: 'Three.', sources: [] },
    ),
    box(['Ann', 'Hello.']),
  )
  assert.deepEqual(
    found.map((fact) => [fact.text, fact.sources.length]),
    [['One.', 1]],
  )
})

test('the same fact is recorded once', async () => {
  const found = await facts(
    harnessAnswering({ text: 'Same.' }, { text: 'Same.', sources: ['u2'] }),
    box(['Ann', 'a'], ['Ben', 'b']),
  )
  assert.equal(found.length, 1)
})

test('an invalid date is left out, and a time without a zone is UTC', async () => {
  const when = (from: string, to: string) => ({ text: from, when: { from, to, text: from } })
  const given = [
    when('soon', '2026-01-02'),
    when('2026-01-02', '2026-01-01'),
    when('2026-01-02T10:00', '2026-01-02T11:00'),
    when('2026-01-03', '2026-01-04'),
    when('May 7, 2026', 'May 8, 2026'),
  ]
  const found = await facts(harnessAnswering(...given), box(['Ann', 'I came yesterday.']))
  const from = found.map((fact) => fact.when?.from ?? null)
  assert.deepEqual(from, [null, null, Date.UTC(2026, 0, 2, 10), Date.UTC(2026, 0, 3), null])
})

test('the last output of a window says that its facts are complete', async () => {
  const given = box(['Ann', 'I bought a boat yesterday.'], ['Ben', 'Nice!'])
  const last = (await harness(factExtractor).give(given)).at(-1)
  assert.ok(last?.type === 'WindowExtracted')
  assert.deepEqual([last.boxes, last.utterances, last.facts, last.cut], [[given.id], 2, 1, 'pause'])
})

test('a box without an answer gives no facts, and the next box is processed', async () => {
  const all = harness(factExtractor, { answers: { 'extract-facts': () => ({ none: 'refused' }) } })
  assert.deepEqual(await facts(all, box(['Ann', 'I live in Porto.'])), [])
  assert.deepEqual(await facts(all, box(['Ben', 'Hello.'])), [])
})

test('a fact with an agent’s line among its sources has the agent’s role', async () => {
  const given = box(['Ann', 'I like tea.'], ['Scout', 'You like coffee?', { role: 'agent' }])
  const [fact] = await facts(harnessAnswering({ sources: ['u1', 'u2'] }), given)
  assert.equal(fact?.role, 'agent')
})
