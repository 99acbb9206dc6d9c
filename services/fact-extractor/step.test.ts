import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Harness, harness } from '@loomlog/runtime/harness'
import type { BoxSealed, FactRecorded } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import type { FactEvent } from './corrections.ts'
import { box, type Line, monday, openBox, spacePause, withSpacePauses } from './fixture.ts'
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
  const all = found.map((fact) => ({ ...whole, ...empty, text: 'Ann is here.', sources: ['1'], ...fact }))
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
  const { days } = (all.asked.at(-1)?.input ?? { days: [] }) as unknown as WindowLines
  const [{ before, participants } = { before: [], participants: [] }] = days
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
  const found = await facts(harnessAnswering({ text: 'Scout lives in Porto.', sources: ['1'] }), given)
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
      { text: 'One.', sources: ['9', '1', '1'] },
      { text: 'Two.', sources: ['9'] },
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
    harnessAnswering({ text: 'Same.' }, { text: 'Same.', sources: ['2'] }),
    box(['Ann', 'a'], ['Ben', 'b']),
  )
  assert.equal(found.length, 1)
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

const answering = (...rows: readonly string[]) =>
  harness(factExtractor, { answers: { 'extract-facts': () => ({ rows }) } })

test('a person’s statement stays theirs if an agent repeats it, in any order of the cited lines', async () => {
  const given = () => box(['Ann', 'My dose is 75 mg now.'], ['Scout', 'Noted: 75 mg.', { role: 'agent' }])
  for (const labels of ['1,2', '2,1']) {
    const [fact] = await facts(answering(`${labels} state! - Ann | takes 75 mg`), given())
    assert.deepEqual([fact?.role, fact?.speaker, fact?.sources.length], ['human', 'Ann', 2])
    assert.deepEqual([fact?.isChange, fact?.saidAt], [true, monday])
  }
})

test('an agent’s word about a person stays the agent’s, and a person’s word about an agent the person’s', async () => {
  const given = () => box(['Ann', 'Scout forgot the coffee.'], ['Scout', 'Ann drinks coffee.', { role: 'agent' }])
  const roles = async (row: string) =>
    (await facts(answering(row), given())).map(({ role, speaker }) => [role, speaker])
  assert.deepEqual(await roles('2 like - Ann | drinks coffee'), [['agent', 'Scout']])
  assert.deepEqual(await roles('1 event - Scout | forgot the coffee'), [['human', 'Ann']])
  assert.deepEqual(await roles('1,2 event - Scout | forgot the coffee'), [['agent', 'Scout']])
})

test('a wish of a person is an instruction unless it is for a person, and a liking is none', async () => {
  const given = () => box(['Ann', 'Scout, answer in French. I like tea.'], ['Scout', 'Oui.', { role: 'agent' }])
  const found = await facts(
    answering(
      '1 wish - Scout | shall always answer in French',
      '1 like - Ann | likes tea',
      '2 wish - Scout | shall always answer in French to Ann',
      '1 wish - Ann | shall drink tea',
    ),
    given(),
  )
  assert.deepEqual(
    found.map(({ kind, isInstruction, role }) => [kind, isInstruction, role]),
    [
      ['preference', true, 'human'],
      ['preference', false, 'human'],
      ['preference', false, 'agent'],
      ['preference', false, 'human'],
    ],
  )
})

test('a box has the topic of most of its lines, which lasts until the next one of its conversation', async () => {
  const rows = ['[4] Ben’s garden.', '[1] Ann’s boat', '[2] Rain', '[9] Nothing', '1 state - Ann | owns a boat']
  const [first, second] = [
    openBox(['Ann', 'It rains.'], ['Ann', 'I own a boat.'], ['Ann', 'Boats are wet.']),
    openBox(['Ben', 'I own a garden.', { at: monday + 600_000 }], ['Ben', 'It grows.', { at: monday + 660_000 }]),
  ]
  const made = await answering(...rows).give(first, second, spacePause())
  const end = made.at(-1)
  assert.deepEqual(end?.type === 'WindowExtracted' && end.topics, [
    { box: first.id, topic: 'Rain' },
    { box: second.id, topic: 'Ben’s garden' },
  ])
})

test('topics of boxes that are asked about alone are theirs', async () => {
  const extract = (input: Json): Json => {
    const lines = (input as unknown as WindowLines).days.flatMap((day) => day.lines)
    return lines.length > 1 ? { none: 'cut off' } : { rows: [`[1] A talk of ${lines[0]?.speaker}`] }
  }
  const [first, second] = [openBox(['Ann', 'Hello.']), openBox(['Ben', 'Hi.', { at: monday + 1 }])]
  const made = await harness(factExtractor, { answers: { 'extract-facts': extract } }).give(first, second, spacePause())
  const end = made.at(-1)
  assert.deepEqual(end?.type === 'WindowExtracted' && end.topics, [
    { box: first.id, topic: 'A talk of Ann' },
    { box: second.id, topic: 'A talk of Ben' },
  ])
})
