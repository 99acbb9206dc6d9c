import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { foldFeed } from './feed-fold.ts'
import { type GenerationName, type PublisherFixture, publisherFixture } from './fixture.ts'
import { seededChance, spaces, randomHistory as writer } from './random-history.ts'

async function assertFeed(fixture: PublisherFixture, written: ReturnType<typeof writer>): Promise<void> {
  const bySpace = foldFeed(await fixture.feed())
  for (const place of spaces) {
    const { memories } = bySpace.get(`${place.tenant}/${place.space}`) ?? { memories: new Map() }
    assert.deepEqual([...memories].sort(), written.expected(place))
  }
  assert.deepEqual(fixture.errors, [])
}

/** Returns once every space of these tenants follows the generation. */
async function untilSwitched(
  fixture: PublisherFixture,
  generation: GenerationName,
  tenants: readonly string[],
): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; await sleep(20)) {
    const follow = [...foldFeed(await fixture.feed())].filter(([key]) => tenants.includes(key.split('/')[0] ?? ''))
    if (follow.every(([, space]) => space.generation === generation)) return
    assert.ok(Date.now() < deadline, `not switched: ${JSON.stringify(follow)}`)
  }
}

test('the fold of the feed is the live memory, through promotions, also of one tenant, and restarts', async (t) => {
  const chance = seededChance(t)
  const fixture = await publisherFixture(t)
  const written = writer(fixture, chance)
  fixture.promote('a')
  let member = await fixture.start()
  const restart = async () => {
    await member.close()
    member = await fixture.start()
  }
  for (const generation of ['b', 'c', 'a', 'b'] as const) {
    await written.rounds(15 + chance(20))
    if (chance(2) === 0) await restart()
    await fixture.untilPublished()
    await assertFeed(fixture, written)
    fixture.promote(generation)
    await written.rounds(chance(10))
    if (chance(2) === 0) await restart()
    await untilSwitched(fixture, generation, ['acme', 'other'])
    await fixture.untilPublished()
    await assertFeed(fixture, written)
  }
  fixture.promote('c', 'other')
  await untilSwitched(fixture, 'c', ['other'])
  await untilSwitched(fixture, 'b', ['acme'])
  await assertFeed(fixture, written)
})

test('an event follows the event that it is derived from, and a history is published in its order', async (t) => {
  const fixture = await publisherFixture(t)
  const written = writer(fixture, seededChance(t))
  fixture.promote('a')
  await written.rounds(60)
  await fixture.start()
  await fixture.untilPublished()
  const seqOf = (id: string) => Number(/^[tfc](\d+)-/.exec(id)?.[1] ?? Number.NaN)
  for (const { tenant, space } of spaces) {
    const feed = (await fixture.feed()).filter((event) => event.tenant === tenant && event.space === space)
    const joined = feed.filter((event) => 'change' in event && event.because === 'derived')
    const topics = new Set<number>()
    let newest = 0
    for (const event of joined) {
      if (!('memory' in event)) continue
      const seq = seqOf(event.memory)
      if (event.type === 'TopicPublished') newest = seq
      if (event.type === 'TopicPublished') topics.add(seq)
      if (event.type === 'FactPublished') assert.ok(topics.has(seq), `a fact of ${seq} precedes its topic`)
      if (event.type === 'FactPublished') assert.ok(newest - seq < 30, `a fact of ${seq} follows a topic of ${newest}`)
    }
    assert.ok(topics.size > 5)
  }
})

test('a mark follows all events that the stages derived from the utterances before it', async (t) => {
  const fixture = await publisherFixture(t)
  const chance = seededChance(t)
  const written = writer(fixture, chance)
  fixture.promote('a')
  await fixture.start()
  for (let n = 0; n < 5; n++) {
    await written.rounds(5)
    await fixture.untilPublished()
    const ends = await fixture.log.endOffsets('utterances')
    for (const [key, { marked }] of foldFeed(await fixture.feed())) {
      const marks = (await fixture.feed()).filter(
        (event) => 'upTo' in event && `${event.tenant}/${event.space}` === key,
      )
      const last = marks.at(-1)
      assert.ok(last && 'partition' in last && marked <= (ends[last.partition] ?? 0), key)
    }
    await assertFeed(fixture, written)
  }
})

test('without a live generation nothing is published, and the first one publishes its memory', async (t) => {
  const fixture = await publisherFixture(t)
  const written = writer(fixture, seededChance(t))
  await written.rounds(10)
  await fixture.start()
  await sleep(300)
  assert.deepEqual(await fixture.feed(), [])
  fixture.promote('a')
  await fixture.untilPublished()
  await assertFeed(fixture, written)
})

test('the rows of a generation that is no longer live are removed from the state, and the next promotion reads it again', async (t) => {
  const fixture = await publisherFixture(t)
  const written = writer(fixture, seededChance(t))
  fixture.promote('a')
  await fixture.start()
  await written.rounds(20)
  await fixture.untilPublished()
  for (const generation of ['c', 'a', 'c'] as const) {
    fixture.promote(generation)
    await untilSwitched(fixture, generation, ['acme', 'other'])
    await written.rounds(3)
    await fixture.untilPublished()
    await assertFeed(fixture, written)
  }
})

test('a copy of the log publishes the same memory under ids of its own, so that no id has two meanings', async (t) => {
  const seed = seededChance(t)(1_000_000)
  const feeds = await Promise.all(
    (['a', 'b'] as const).map(async (generation) => {
      let state = seed
      const chance = (below: number) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return Math.floor((state / 2 ** 32) * below)
      }
      const fixture = await publisherFixture(t)
      fixture.promote(generation)
      await fixture.start()
      await writer(fixture, chance).rounds(10)
      await fixture.untilPublished()
      return (await fixture.feed()).map(({ id }) => id)
    }),
  )
  const [original = [], copy = []] = feeds.map((ids) => new Set(ids))
  assert.ok(new Set(original).size > 20)
  assert.deepEqual(
    [...original].filter((id) => new Set(copy).has(id)),
    [],
  )
})
