import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, consolidatorHarness, type FactFields, fact, placedBy } from './fixture.ts'

const texts = (entries: readonly { readonly text: string }[]) => entries.map((entry) => entry.text)
const lives = (place: string, more: object = {}) =>
  fact({ subject: 'Maya', relation: 'lives in', object: place, ...more })

test('a fact becomes an entry of a topic document and of the profile of its person', async () => {
  const { give, written, described } = consolidatorHarness()
  const given = lives('Lisbon', { keywords: ['Lisbon'] })
  await give(given)
  const [topic, profile] = written()
  assert.deepEqual([topic?.kind, profile?.kind], ['topic', 'profile'])
  assert.deepEqual([topic?.title, profile?.title, profile?.heading], ['Maya', 'Maya', 'Home'])
  assert.deepEqual([topic?.facts, topic?.sources, topic?.validFrom], [[given.id], given.sources, given.saidAt])
  assert.equal(topic?.lineage.method, 'rules')
  assert.ok(topic.lineage.causes.includes(given.id))
  assert.deepEqual(
    described().map(({ kind, entity, entries }) => [kind, entity, entries]),
    [
      ['topic', null, 1],
      ['profile', 'Maya', 1],
    ],
  )
})

test('a new value supersedes the previous one, in the topic document and in the profile', async () => {
  const { give, current, endOf, written } = consolidatorHarness()
  await give(lives('Lisbon', { saidAt: at('2022-03-01') }), lives('Porto', { saidAt: at('2023-05-01') }))
  assert.deepEqual(texts(current('topic')), ['Maya lives in Porto.'])
  assert.deepEqual(texts(current('profile')), ['Maya lives in Porto.'])
  for (const kind of ['topic', 'profile'] as const) {
    const end = endOf('Maya lives in Lisbon.', kind)
    const by = written().find((event) => event.id === end?.by)
    assert.deepEqual(
      [end?.reason, end?.validTo, by?.text, by?.kind],
      ['superseded', at('2023-05-01'), 'Maya lives in Porto.', kind],
    )
  }
})

test('a late older fact supersedes nothing newer, and ends its predecessor at the right time', async () => {
  const { give, current, endOf, described } = consolidatorHarness()
  await give(lives('Lisbon', { saidAt: at('2020-01-01') }), lives('Porto', { saidAt: at('2023-01-01') }))
  const when = { from: at('2021-01-01'), to: at('2022-01-01'), text: '2021' }
  await give(lives('Faro', { saidAt: at('2024-01-01'), when }))
  assert.deepEqual(texts(current('topic')), ['Maya lives in Porto.'])
  assert.equal(endOf('Maya lives in Faro.')?.validTo, at('2023-01-01'))
  assert.equal(endOf('Maya lives in Lisbon.')?.validTo, at('2021-01-01'))
  assert.equal(endOf('Maya lives in Lisbon.', 'profile')?.validTo, at('2021-01-01'))
  assert.deepEqual(texts(current('profile')), ['Maya lives in Porto.'])
  assert.ok(described().every((event) => event.entries === 1))
})

test('a move away and back gives three time spans', async () => {
  const { give, current, retired } = consolidatorHarness()
  const years = [2020, 2021, 2022].map((year) => ({ saidAt: at(`${year}-01-01`) }))
  await give(lives('Lisbon', years[0]), lives('Porto', years[1]), lives('Lisbon', years[2]))
  assert.deepEqual(texts(current('topic')), ['Maya lives in Lisbon.'])
  assert.deepEqual(current('topic')[0]?.validFrom, at('2022-01-01'))
  assert.ok(retired().every((event) => event.reason === 'superseded'))
})

test('a late value is not merged with an equal later one if another value is between them', async () => {
  const { give, endOf, current } = consolidatorHarness()
  const when = { from: at('2019-01-01'), to: at('2020-01-01'), text: '2019' }
  await give(
    lives('Lisbon', { saidAt: at('2021-01-01') }),
    lives('Porto', { saidAt: at('2022-01-01') }),
    lives('Porto', { when }),
  )
  assert.deepEqual(texts(current('topic')), ['Maya lives in Porto.'])
  assert.equal(current('topic')[0]?.validFrom, at('2022-01-01'))
  assert.equal(endOf('Maya lives in Lisbon.')?.validTo, at('2022-01-01'))
})

test('a repeated value ends a late value from in between', async () => {
  const { give, current, endOf } = consolidatorHarness()
  const years = [2020, 2022, 2021].map((year) => ({ saidAt: at(`${year}-01-01`) }))
  await give(lives('Lisbon', years[0]), lives('Lisbon', years[1]), lives('Porto', years[2]))
  assert.deepEqual(texts(current('topic')), ['Maya lives in Lisbon.'])
  assert.equal(endOf('Maya lives in Porto.')?.validTo, at('2022-01-01'))
})

test('a state that began long ago and still holds supersedes an earlier statement', async () => {
  const { give, current } = consolidatorHarness()
  const when = { from: at('2010-01-01'), to: at('2024-01-02'), text: 'since 2010' }
  await give(lives('Porto', { saidAt: at('2023-01-01') }), lives('Lisbon', { saidAt: at('2024-01-01'), when }))
  assert.deepEqual(texts(current('topic')), ['Maya lives in Lisbon.'])
})

test('a plan supersedes nothing', async () => {
  const { give, current } = consolidatorHarness()
  await give(lives('Lisbon'), fact({ subject: 'Maya', relation: 'moved to', object: 'Porto', kind: 'plan' }))
  assert.equal(current('topic').length, 2)
})

test('a corrected arrangement holds until the time of the correction, regardless of the dates', async () => {
  const { give, current, endOf } = consolidatorHarness()
  const on = (day: string, saidAt: number) => {
    const when = { from: at(`2026-04-${day}`), to: at(`2026-04-${day}`) + 86_400_000, text: `${day} April 2026` }
    return fact({ subject: 'The workshop', relation: 'is on', object: `${day} April 2026`, kind: 'plan', when, saidAt })
  }
  const times = [at('2026-03-30'), at('2026-04-07'), at('2026-04-08')] as const
  await give(on('14', times[0]), on('16', times[1]), on('15', times[2]))
  assert.deepEqual(texts(current('topic')), ['The workshop is on 15 April 2026.'])
  assert.equal(endOf('The workshop is on 14 April 2026.')?.validTo, times[1])
  assert.equal(endOf('The workshop is on 16 April 2026.')?.validTo, times[2])
})

test('a repetition is merged: one entry holds, with the facts and sources of both', async () => {
  const { give, current, endOf, written, described } = consolidatorHarness()
  const likes = () => fact({ subject: 'Maya', relation: 'likes', object: 'black coffee', kind: 'preference' })
  const [first, second] = [likes(), likes()]
  await give(first, second)
  for (const kind of ['topic', 'profile'] as const) {
    const [entry, ...others] = current(kind)
    assert.deepEqual(others, [])
    assert.deepEqual(entry?.facts, [first.id, second.id])
    assert.deepEqual(entry?.sources, [...first.sources, ...second.sources])
    assert.deepEqual(entry?.validFrom, first.saidAt)
    assert.deepEqual([endOf(first.text, kind)?.reason, endOf(first.text, kind)?.by], ['merged', entry?.id])
  }
  assert.equal(new Set(written().map((event) => event.document)).size, 2)
  assert.ok(described().every((event) => event.entries === 1))
})

test('a denial, another number, another name and another day are not the same', async () => {
  const { give, retired } = consolidatorHarness({ parameters: { sameShare: 0.5 } })
  const says = (relation: string, object: string, more: object = {}) =>
    fact({ subject: 'Maya', relation, object, ...more })
  await give(
    says('drinks', 'black coffee every morning at home'),
    says('never drinks', 'black coffee every morning at home'),
    says('drinks', 'two black coffees every morning at home'),
    says('drinks', 'three black coffees every morning at home'),
    says('drinks', 'black coffee every morning at home with Ben'),
    says('drinks', 'black coffee every morning at home with Ana'),
    says('ran', 'a race', { kind: 'event', saidAt: at('2024-02-01') }),
    says('ran', 'a race', { kind: 'event', saidAt: at('2024-03-01') }),
  )
  assert.deepEqual(retired(), [])
})

test('a duplicate fact changes nothing', async () => {
  const { give } = consolidatorHarness()
  const given = lives('Lisbon')
  await give(given)
  assert.deepEqual(await give(given), [])
})

test('an agent’s fact about a person stays out of the profile, and supersedes no person’s fact', async () => {
  const { give, current, retired } = consolidatorHarness()
  await give(lives('Lisbon', { saidAt: at('2022-01-01') }))
  const guess = { speaker: 'Assistant', role: 'agent', saidAt: at('2023-01-01'), persons: ['Maya'] } as const
  await give(
    lives('Porto', guess),
    fact({ subject: 'Maya', relation: 'likes', object: 'tea', kind: 'preference', ...guess }),
  )
  assert.deepEqual(texts(current('profile')), ['Maya lives in Lisbon.'])
  assert.deepEqual(retired(), [])
  assert.deepEqual(
    current('topic').map((entry) => entry.role),
    ['human', 'agent', 'agent'],
  )
})

test('a person’s fact supersedes an agent’s earlier one', async () => {
  const { give, current } = consolidatorHarness()
  const guess = { speaker: 'Assistant', role: 'agent', persons: ['Maya'] } as const
  await give(lives('Porto', { ...guess, saidAt: at('2022-01-01') }), lives('Lisbon', { saidAt: at('2023-01-01') }))
  assert.deepEqual(texts(current('topic')), ['Maya lives in Lisbon.'])
})

test('an agent’s repetition adds its fact, and the words stay the person’s', async () => {
  const { give, current } = consolidatorHarness()
  const said = lives('Lisbon')
  const echo = lives('Lisbon', { speaker: 'Assistant', role: 'agent', persons: ['Maya'] })
  await give(said, echo)
  const [topic, ...others] = current('topic')
  assert.deepEqual(others, [])
  assert.deepEqual([topic?.speaker, topic?.role, topic?.facts], ['Maya', 'human', [said.id, echo.id]])
  assert.deepEqual(
    current('profile').map((entry) => entry.facts),
    [[said.id]],
  )
  await give(lives('Porto', { saidAt: echo.saidAt + 1_000_000 }))
  assert.deepEqual(texts(current('profile')), ['Maya lives in Porto.'])
})

test('a full profile is continued, and so is a full topic document', async () => {
  const { give, written, described } = consolidatorHarness({
    parameters: { maxEntries: 3, maxProfileEntries: 4, placeScore: 0.1 },
  })
  for (let n = 1; n <= 10; n++)
    await give(fact({ subject: 'Maya', relation: 'owns', object: `guitar number ${n * 7}` }))
  const sizes = new Map(described().map((event) => [event.document, event.entries]))
  assert.deepEqual([...sizes.values()].sort(), [1, 2, 3, 3, 3, 4, 4])
  const profiles = new Set(described().flatMap((event) => (event.kind === 'profile' ? [event.title] : [])))
  assert.deepEqual([...profiles], ['Maya', 'Maya (2)', 'Maya (3)'])
  assert.equal(written().length, 20)
})

test('the last description of every document has its count of current entries', async () => {
  const { give, current, described } = consolidatorHarness()
  for (const thing of ['guitar', 'piano', 'violin']) {
    for (const verb of ['owns', 'plays', 'repairs'])
      await give(fact({ subject: 'Ben', relation: verb, object: `a ${thing}` }))
  }
  const last = new Map(described().map((event) => [event.document, event.entries]))
  const held = new Map<string, number>()
  for (const entry of [...current('topic'), ...current('profile')])
    held.set(entry.document, (held.get(entry.document) ?? 0) + 1)
  assert.deepEqual(last, held)
})

test('the state from the later utterance wins, also if it began before the earlier utterance', async () => {
  for (const [saidAt, from, to] of [
    ['2026-06-02T10:00:00Z', '2026-06-01', '2026-06-02'],
    ['2026-06-10T10:00:00Z', '2026-05-25', '2026-06-01'],
  ] as const) {
    const { give, current, endOf } = consolidatorHarness()
    const when = { from: at(from), to: at(to), text: from }
    await give(
      lives('Graz', { saidAt: at('2026-06-01') + 9 * 3_600_000 }),
      lives('Linz', { saidAt: Date.parse(saidAt), when }),
    )
    assert.deepEqual(texts(current('topic')), ['Maya lives in Linz.'])
    assert.deepEqual(texts(current('profile')), ['Maya lives in Linz.'])
    assert.notEqual(endOf('Maya lives in Graz.')?.validTo, undefined)
  }
})

const changed: readonly (readonly [old: FactFields, change: FactFields])[] = [
  [
    { subject: "Priya's budget", relation: 'is', object: '80k until the end of June 2026' },
    { subject: "Priya's budget", relation: 'went', object: 'from 80k to 65k' },
  ],
  [
    { subject: 'Sofia', relation: 'uses', object: 'RabbitMQ for events' },
    { subject: 'Sofia', relation: 'switched from', object: 'RabbitMQ to SQS', kind: 'event' },
  ],
  [
    { subject: 'Nordlicht', relation: 'has', object: 'two employees' },
    { subject: 'Nordlicht', relation: 'has', object: 'three employees now' },
  ],
  [
    { subject: 'Sofia', relation: 'is', object: 'a vegetarian' },
    { subject: 'Sofia', relation: 'is no longer', object: 'a vegetarian' },
  ],
]
for (const [old, change] of changed) {
  test(`${change.subject} ${change.relation} ${change.object} ends the older entry by rules, and beside a plan only the plan ends it`, async () => {
    const facts = [
      fact({ ...old, speaker: old.subject ?? '' }),
      fact({ ...change, speaker: old.subject ?? '' }),
    ] as const
    const byRules = consolidatorHarness()
    await byRules.give(...facts)
    assert.deepEqual(texts(byRules.current('topic')), [facts[1].text])
    assert.equal(byRules.endOf(facts[0].text)?.validTo, facts[1].saidAt)
    const planned = consolidatorHarness({ answers: { 'consolidate-batch': placedBy() } })
    await planned.give(...facts)
    assert.deepEqual(texts(planned.current('topic')), [facts[0].text, facts[1].text])
  })
}

test('hearsay about a value ends no entry of whom it concerns', async () => {
  const { give, current } = consolidatorHarness()
  const first = fact({ subject: "Priya's budget", relation: 'is', object: '80k until the end of June 2026' })
  const heard = fact({
    subject: 'Finance',
    relation: 'says',
    object: 'the budget went from 80k to 65k',
    speaker: 'Max',
  })
  await give({ ...first, speaker: 'Priya' }, heard)
  assert.equal(texts(current('topic')).length, 2)
})
