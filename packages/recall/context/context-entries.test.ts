import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { lineage, memory, row, type TestRow } from '../fixture.ts'
import { type ContextRequest, contextBlock } from './context-block.ts'

const home = 'acme/home'
const at = (day: string) => Date.parse(`${day}T09:00:00Z`)
const planned = { ...lineage('f'), method: 'a model' }
const filed = { document: 'd', kind: 'document', title: 'Flat of Ann', speaker: 'Ann', lineage: planned } as const

type Fields = Parameters<typeof row>[3]

async function space(t: TestContext, days: readonly string[], entries: readonly (readonly [string, string, Fields])[]) {
  const place = await memory(t)
  const said = days.map((day, n) =>
    row(home, `u${n}`, `Ann: Quite a different message number ${n} about rent.`, {
      speaker: 'Ann',
      at: at(day),
      offset: n,
    }),
  )
  await place.write('utterances', await Promise.all(said))
  const rows: Promise<TestRow>[] = entries.map(([id, statement, fields], n) => {
    const text = `Flat of Ann — ${'heading'}: ${statement}`
    return row(home, id, text, { ...filed, facts: [], isOneOfSeveral: false, statement, seq: n, ...fields } as Fields)
  })
  await place.write('entries', await Promise.all(rows))
  return {
    text: async (query: string, request: Partial<ContextRequest> = {}) =>
      (await contextBlock({ space: home, query, ...request }, place)).text,
    items: async (query: string) => (await contextBlock({ space: home, query }, place)).items,
  }
}

const rent = (day: string, source: string, fields: object = {}) =>
  ({ heading: 'Rent', validFrom: at(day), saidAt: at(day), sources: [source], ...fields }) as Fields

test('a heading shows its newest answer, and a value that is to come, under the title of the document', async (t) => {
  const { text } = await space(
    t,
    ['2026-03-02', '2026-03-09', '2026-03-10'],
    [
      ['old', 'The rent is 600 euros.', rent('2026-03-02', 'u0')],
      ['new', 'The rent is 650 euros.', rent('2026-03-09', 'u1')],
      ['coming', 'The rent is 700 euros.', rent('2026-03-10', 'u2', { validFrom: at('2999-01-01') })],
    ],
  )
  const block = await text('What is the rent?')
  assert.match(
    block,
    /^Holds now\n# Flat of Ann\n1 Rent: The rent is 650 euros\. \(said 9 Mar 2026\)\n2 Rent: The rent is 700/,
  )
  assert.ok(!block.includes('600'))
})

test('a heading for several answers shows all of them', async (t) => {
  const { text } = await space(
    t,
    ['2026-03-02', '2026-03-09'],
    [
      ['one', 'Ann likes the rent of the flat.', rent('2026-03-02', 'u0', { isOneOfSeveral: true })],
      ['two', 'Ann likes the low rent here.', rent('2026-03-09', 'u1', { isOneOfSeveral: true })],
    ],
  )
  const block = await text('What about rent does Ann like?')
  assert.ok(block.includes('of the flat') && block.includes('low rent'))
})

test('a state is the answer before an event of the same day, and what is hidden still finds it', async (t) => {
  const { text } = await space(
    t,
    ['2026-03-09', '2026-03-09'],
    [
      ['state', 'Ann pays 650 euros.', rent('2026-03-09', 'u0')],
      ['event', 'The landlord raised the rent.', rent('2026-03-09', 'u1', { factKind: 'event', seq: 9 })],
    ],
  )
  const block = await text('What did the landlord do?')
  assert.ok(block.includes('Rent: Ann pays 650 euros.'))
  assert.ok(!block.includes('raised'))
})

const ended = { knownTo: at('2026-03-09'), validTo: at('2026-03-09'), replacedBy: 'new' }

test('an ended answer is shown with its end, after the current one, if the question is about the past', async (t) => {
  const { text } = await space(
    t,
    ['2026-03-02', '2026-03-09'],
    [
      ['old', 'The rent is 600 euros.', rent('2026-03-02', 'u0', ended)],
      ['new', 'The rent is 650 euros.', rent('2026-03-09', 'u1')],
    ],
  )
  assert.ok(!(await text('What is the rent?')).includes('600'))
  const before = await text('What was the rent before?')
  assert.match(before, /1 Rent: The rent is 650 euros\..*\n2 Rent: The rent is 600 euros\. \(until 9 Mar 2026\)/)
})

test('the history of an answer has all that it replaced in turn, also beside others under its heading', async (t) => {
  const { text } = await space(
    t,
    ['2026-03-02', '2026-03-05', '2026-03-09'],
    [
      ['oldest', 'The rent is 600 euros.', rent('2026-03-02', 'u0', { ...ended, replacedBy: 'old' })],
      ['old', 'The rent is 620 euros.', rent('2026-03-05', 'u1', ended)],
      ['new', 'The rent is 650 euros.', rent('2026-03-09', 'u2', { isOneOfSeveral: true })],
    ],
  )
  const lines = (await text('What was the rent at first?')).split('\n').filter((line) => line.includes('Rent:'))
  assert.deepEqual(
    lines.map((line) => /\d+ euros/.exec(line)?.[0]),
    ['650 euros', '620 euros', '600 euros'],
  )
})

test('a plan is the answer after its deadline, as long as no other entry is', async (t) => {
  const due = { factKind: 'plan', validTo: at('2026-03-05') } as const
  const offer = (id: string, fields: object) =>
    [id, `The offer ${id} for the rent is due.`, rent('2026-03-02', 'u0', fields)] as const
  const { text } = await space(t, ['2026-03-02'], [offer('one', due)])
  assert.ok((await text('When is the offer for the rent due?')).includes('due. (until 5 Mar 2026)'))
  const later = await space(t, ['2026-03-02'], [offer('one', due), offer('two', {})])
  const block = await later.text('When is the offer for the rent due?')
  assert.ok(block.includes('two') && !block.includes('one'), block)
  const dates = Array.from({ length: 5 }, (_, n) =>
    offer(`n${n}`, { ...due, validTo: at(`2026-03-0${n + 1}`), isOneOfSeveral: true }),
  )
  const several = await space(t, ['2026-03-02'], dates)
  const shown = await several.text('When is the offer for the rent due?')
  assert.deepEqual(shown.match(/offer n\d/g), ['offer n4'])
})

test('a small budget leaves out the days of telling, and keeps the ends of entries', async (t) => {
  const entries = [['one', 'The rent is 600 euros.', rent('2026-03-02', 'u0')]] as const
  const { text } = await space(t, ['2026-03-02'], entries)
  assert.ok((await text('What is the rent?')).includes('600 euros. (said 2 Mar 2026)'))
  assert.ok((await text('What is the rent?', { budgetTokens: 300 })).includes('600 euros.\n'))
  const due = rent('2026-03-02', 'u0', { factKind: 'plan', validTo: at('2026-03-05') })
  const ended = await space(t, ['2026-03-02'], [['one', 'The rent of 600 euros is due.', due]])
  assert.ok((await ended.text('When is the rent due?', { budgetTokens: 300 })).includes('due. (until 5 Mar 2026)'))
})

test('a model that understands the question finds an entry by words that the question lacks', async (t) => {
  const place = await memory(t)
  const said = { speaker: 'Ann', at: at('2026-03-02'), vector: null }
  const lines = [
    'Ann: Handover is at ten.',
    'Ann: The pager is new.',
    'Ann: The pager is red.',
    'Ann: The pager is loud.',
  ]
  const spoken = lines.map((line, offset) => row(home, `u${offset}`, line, { ...said, offset }))
  await place.write('utterances', await Promise.all(spoken))
  const entries = lines.map(async (line, n) => {
    const statement = line.slice('Ann: '.length)
    const filedEntry = { ...filed, facts: [], heading: `h${n}`, isOneOfSeveral: false, statement, sources: [`u${n}`] }
    return { ...(await row(home, `e${n}`, statement, filedEntry as Fields)), vector: null }
  })
  await place.write('entries', await Promise.all(entries))
  const empty = { requires: [], queries: [], persons: [], entities: [], time: null, location: null }
  const model = {
    name: 'a model',
    parameters: {},
    answer: async () => ({ kind: 'answer' as const, value: { ...empty, keywords: ['handover'] } }),
  } as never
  const request = { space: home, query: 'When is the pager passed on?', budgetTokens: 40 } as const
  const byRules = await contextBlock(request, { ...place, model })
  assert.ok(!byRules.text.includes('Handover') && byRules.understood === undefined, byRules.text)
  const understood = await contextBlock({ ...request, understanding: 'model' }, { ...place, model })
  assert.ok(understood.text.includes('Handover'), understood.text)
  assert.deepEqual([understood.understood?.by, understood.understood?.keywords], ['a model', ['handover']])
})

test('an entry is found by the evidence that it was made from', async (t) => {
  const place = await memory(t)
  const said = { speaker: 'Ann', at: at('2026-03-02'), offset: 0, vector: null }
  await place.write('utterances', [await row(home, 'u0', 'Ann: The pager goes around on Wednesdays.', said)])
  const filedEntry = { ...filed, facts: [], isOneOfSeveral: false, statement: 'Handover is at ten.', sources: ['u0'] }
  await place.write('entries', [
    { ...(await row(home, 'e', 'Handover is at ten.', filedEntry as Fields)), vector: null },
  ])
  const { text } = await contextBlock({ space: home, query: 'When does the pager go around?' }, place)
  assert.ok(text.includes('Handover is at ten.'), text)
})

test('an entry that names its own end is not current after it', async (t) => {
  const { text } = await space(
    t,
    ['2026-03-02'],
    [['over', 'The rent is 600 euros.', rent('2026-03-02', 'u0', { validTo: at('2026-03-05') })]],
  )
  assert.ok(!(await text('What is the rent?')).includes('600'))
  assert.ok((await text('What was the rent?')).includes('600 euros. (until 5 Mar 2026)'))
})

test('an utterance whose conclusions have all ended is left out, and one of which some ended is marked', async (t) => {
  const { text, items } = await space(
    t,
    ['2026-03-02', '2026-03-03', '2026-03-09'],
    [
      ['all', 'The rent is 600 euros.', rent('2026-03-02', 'u0', ended)],
      ['some', 'The rent is due on Mondays.', rent('2026-03-03', 'u1', { ...ended, heading: 'Due' })],
      ['kept', 'Ann has a cellar.', rent('2026-03-03', 'u1', { heading: 'Cellar' })],
      ['new', 'The rent is 650 euros.', rent('2026-03-09', 'u2')],
    ],
  )
  const block = await text('rent message')
  assert.ok(!block.includes('number 0'))
  assert.match(block, /number 1 about rent\. \(partly outdated\)/)
  assert.equal((await items('rent message')).find(({ id }) => id === 'u1')?.ended, 'some')
  assert.match(await text('Which message about rent was before?'), /number 0 about rent\. \(since changed\)/)
})

test('a question that asks how it went gets the timeline of the matter, in the order of time', async (t) => {
  const place = await memory(t)
  const events = ['The boat was bought.', 'The engine was repaired.', 'The boat was sold.']
  const facts = events.map((text, n) =>
    row(home, `e${n}`, text, { kind: 'event', at: n, validFrom: 10 - n, sources: [`u${n}`], seq: n }),
  )
  await place.write('facts', await Promise.all(facts))
  await place.write(
    'links',
    await Promise.all(
      events.map((_, n) => row(home, `l${n}`, 'The boat', { trace: 't', event: `e${n}`, position: n, seq: n })),
    ),
  )
  const timeline = async (query: string) =>
    (await contextBlock({ space: home, query }, place)).items.flatMap(({ part, id }) =>
      part === 'timeline' ? [id] : [],
    )
  assert.deepEqual(await timeline('What happened to the boat?'), ['e2', 'e1', 'e0'])
  assert.deepEqual(await timeline('Who has the boat?'), [])
})
