/** Properties of any facts in any order. The facts are random; the seed is printed, and LOOMLOG_SEED sets it. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FactKind, FactRecorded, Role } from '@loomlog/schemas/events'
import { seededRandom, testSeed } from '../../test/seeded-random.ts'
import { at, consolidatorHarness, correctionFact, fact, retraction } from './fixture.ts'
import { maxDocumentsInBucket, maxMentions, maxSources, maxValues } from './state.ts'

const seed = testSeed()

const things = 'guitar,pottery,garden,marathon,novel,camera,violin,kitchen,bicycle,museum,lake,recipe'.split(',')
const places = 'Lisbon,Porto,Faro,Braga'.split(',')
const people = 'Maya,Ben,Ana'.split(',')
/** Relations with one value at a time. */
const single = ['lives in', 'works as']

function randomFacts(random: () => number, count: number): readonly ReturnType<typeof fact>[] {
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T
  return Array.from({ length: count }, (_, n) => {
    const subject = pick(people)
    const said = {
      subject,
      saidAt: at('2020-01-01') + Math.floor(random() * 1_000) * 86_400_000,
      id: `f${n}`,
      box: `b${n >> 3}`,
    }
    const role: Role = random() < 0.2 ? 'agent' : 'human'
    const by = { role, speaker: role === 'agent' ? 'Assistant' : subject, persons: [subject], sources: [`u${n}`] }
    if (random() < 0.2) return fact({ ...said, ...by, relation: 'lives in', object: pick(places) })
    if (random() < 0.1) return fact({ ...said, ...by, relation: 'works as', object: `a guide in ${pick(places)}` })
    const kind = pick<FactKind>(['event', 'state', 'preference', 'plan'])
    const [thing, other] = [pick(things), pick(things)]
    return fact({
      ...said,
      ...by,
      kind,
      relation: pick(['likes', 'owns', 'bought', 'repairs']),
      object: `a ${thing} and a ${other}`,
      keywords: [thing, other],
    })
  })
}

test(`no fact is dropped, and the counts are right (seed ${seed})`, async () => {
  const { give, written, current, described } = consolidatorHarness()
  const facts = randomFacts(seededRandom(seed), 250)
  await give(...facts)
  const named = new Set(written().flatMap((entry) => (entry.kind === 'topic' ? entry.facts : [])))
  assert.deepEqual(
    facts.map(({ id }) => id).filter((id) => !named.has(id)),
    [],
  )
  const sizes = new Map(described().map((event) => [event.document, event.entries]))
  const held = new Map([...sizes.keys()].map((document) => [document, 0]))
  for (const entry of [...current('topic'), ...current('profile')])
    held.set(entry.document, (held.get(entry.document) ?? 0) + 1)
  assert.deepEqual(sizes, held)
})

test(`by batches of any size no fact is lost, and the last values are those of single facts (seed ${seed})`, async () => {
  const random = seededRandom(seed)
  const [alone, together] = [consolidatorHarness(), consolidatorHarness()]
  const facts = randomFacts(random, 200)
  await alone.give(...facts)
  for (let from = 0; from < facts.length; ) {
    const to = from + 1 + Math.floor(random() * 30)
    await together.giveBatch(...facts.slice(from, to))
    from = to
  }
  const held = ({ current }: typeof alone) =>
    current('topic')
      .map(({ text, facts, validFrom }) => JSON.stringify([text, facts, validFrom]))
      .sort()
  assert.deepEqual(held(together), held(alone))
  assert.deepEqual(
    together.batches().flatMap((batch) => batch.facts),
    facts.map(({ id }) => id),
  )
  assert.deepEqual(
    together.batches().flatMap((batch) => batch.lost),
    [],
  )
})

test(`current entries name every fact that was not superseded (seed ${seed})`, async () => {
  const { give, current, retired, written } = consolidatorHarness()
  const facts = randomFacts(seededRandom(seed), 250)
  await give(...facts)
  const over = new Set(retired().flatMap((event) => (event.reason === 'superseded' ? [event.entry] : [])))
  const named = [...current('topic'), ...written().filter((entry) => over.has(entry.id))].flatMap(
    (entry) => entry.facts,
  )
  assert.deepEqual(
    facts.map(({ id }) => id).filter((id) => !named.includes(id)),
    [],
  )
})

test(`unrelated facts never retire each other (seed ${seed})`, async () => {
  const { give, written, retired } = consolidatorHarness()
  const facts = randomFacts(seededRandom(seed), 250)
  await give(...facts)
  const byId = new Map(facts.map((each) => [each.id, each]))
  const entries = new Map(
    written().map((entry) => [entry.id, { ...(byId.get(entry.facts.at(-1) ?? '') as FactRecorded), ...entry }]),
  )
  assert.ok(retired().length > 0)
  for (const { entry, by, reason } of retired()) {
    const [over, next] = [entries.get(entry), entries.get(by ?? '')]
    assert.ok(over && next)
    assert.deepEqual([over.subject, over.relation], [next.subject, next.relation])
    if (reason === 'merged') assert.equal(over.text, next.text)
    else assert.ok(single.includes(over.relation) && !(over.role === 'human' && next.role === 'agent'))
  }
})

test(`one home holds at a time: the latest by a person (seed ${seed})`, async () => {
  const { give, current } = consolidatorHarness()
  const facts = randomFacts(seededRandom(seed), 250)
  await give(...facts)
  for (const person of people) {
    const homes = facts.filter(
      (each) => each.subject === person && each.relation === 'lives in' && each.role === 'human',
    )
    const latest = homes.toSorted((a, b) => a.saidAt - b.saidAt).at(-1)
    const held = current('profile').filter((entry) => entry.text.startsWith(`${person} lives in`))
    assert.deepEqual(
      held.map((entry) => entry.text),
      latest ? [latest.text] : [],
    )
  }
})

test(`no agent’s words are in a profile (seed ${seed})`, async () => {
  const { give, written } = consolidatorHarness()
  await give(...randomFacts(seededRandom(seed), 150))
  assert.ok(written().every((entry) => entry.kind === 'topic' || entry.role === 'human'))
})

test(`the same facts give the same events (seed ${seed})`, async () => {
  const [one, other] = [consolidatorHarness(), consolidatorHarness()]
  await one.give(...randomFacts(seededRandom(seed), 80))
  await other.give(...randomFacts(seededRandom(seed), 80))
  const plain = (events: readonly object[]) => JSON.stringify(events).replaceAll(/"seq":\d+/g, '')
  assert.equal(plain(one.events), plain(other.events))
  assert.deepEqual(new Set(one.events.map((event) => event.id)).size, one.events.length)
})

test('every record stays small, even for frequent words', async () => {
  const { give, state, written } = consolidatorHarness({ parameters: { maxEntries: 5, placeScore: 0.5 } })
  for (let n = 0; n < 150; n++) {
    await give(
      fact({
        subject: 'Maya',
        relation: 'repairs',
        object: `the guitar of customer ${n}`,
        box: 'b',
        keywords: ['guitar'],
      }),
    )
  }
  for (let n = 0; n < 100; n++) {
    await give(
      fact({ subject: 'Maya', relation: 'likes', object: 'her guitar' }),
      fact({ subject: 'Maya', relation: 'lives in', object: `Town ${n}` }),
    )
  }
  assert.ok(Math.max(...written().map((entry) => Math.max(entry.facts.length, entry.sources.length))) <= maxSources)
  const records = [...state].map(([key, value]) => ({ record: key.split('\u001f')[1] ?? '', value }))
  const longest = (record: string, list: (value: never) => number) =>
    Math.max(...records.filter((each) => each.record === record).map((each) => list(each.value as never)))
  assert.equal(
    longest('bucket', ({ documents }: { documents: readonly [] }) => documents.length),
    maxDocumentsInBucket,
  )
  assert.equal(
    longest('mention', (places: readonly []) => places.length),
    maxMentions,
  )
  assert.equal(
    longest('timeline', (values: readonly []) => values.length),
    maxValues,
  )
  assert.ok(Math.max(...records.map(({ value }) => JSON.stringify(value).length)) < 20_000)
})

test(`no current entry states a retracted or corrected fact, and the counts are right (seed ${seed})`, async () => {
  const random = seededRandom(seed)
  const { give, current, described, retired } = consolidatorHarness()
  const facts = randomFacts(random, 200)
  const gone = new Set<string>()
  for (const [n, each] of facts.entries()) {
    await give(each)
    const old = facts[Math.floor(random() * (n + 1))]
    if (old === undefined || gone.has(old.id) || random() > 0.25) continue
    gone.add(old.id)
    const { subject, relation, object, saidAt, kind, sources } = old
    const better = { subject, relation, kind, saidAt, object: `${object} of late`, sources, id: `better ${old.id}` }
    if (random() < 0.5) await give(correctionFact(random() < 0.2 ? 'pin' : 'replace', better, old.id))
    await give(retraction(old.id))
  }
  assert.ok(gone.size > 20 && retired().some((event) => event.reason === 'retracted'), 'the sample has retractions')
  const entries = [...current('topic'), ...current('profile')]
  for (const entry of entries)
    assert.ok(!entry.facts.some((id) => gone.has(id)), `${entry.text} is stated by a retracted fact`)
  const last = new Map(described().map((event) => [event.document, event.entries]))
  for (const [document, count] of last) {
    assert.equal(count, entries.filter((entry) => entry.document === document).length)
  }
})
