import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { folded } from './feed-fold.ts'
import { seededChance, spaces, randomHistory as writer } from './random-history.ts'
import { type GenerationName, type Workshop, workshop } from './workshop.ts'

async function assertFeed(made: Workshop, written: ReturnType<typeof writer>): Promise<void> {
  const bySpace = folded(await made.feed())
  for (const place of spaces) {
    const { memories } = bySpace.get(`${place.tenant}/${place.space}`) ?? { memories: new Map() }
    assert.deepEqual([...memories].sort(), written.expected(place))
  }
  assert.deepEqual(made.errors, [])
}

/** Every space follows the generation that is live for its tenant. */
async function untilSwitched(made: Workshop, generation: GenerationName, tenants: readonly string[]): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; await sleep(20)) {
    const follow = [...folded(await made.feed())].filter(([key]) => tenants.includes(key.split('/')[0] ?? ''))
    if (follow.every(([, space]) => space.generation === generation)) return
    assert.ok(Date.now() < deadline, `not switched: ${JSON.stringify(follow)}`)
  }
}

test('the fold of the feed is the live memory, through promotions, a rollback, a tenant of its own and restarts', async (t) => {
  const chance = seededChance(t)
  const made = await workshop(t)
  const written = writer(made, chance)
  made.promote('a')
  let member = await made.start()
  const restart = async () => {
    await member.close()
    member = await made.start()
  }
  for (const generation of ['b', 'c', 'a', 'b'] as const) {
    await written.rounds(15 + chance(20))
    if (chance(2) === 0) await restart()
    await made.untilPublished()
    await assertFeed(made, written)
    made.promote(generation)
    await written.rounds(chance(10))
    if (chance(2) === 0) await restart()
    await untilSwitched(made, generation, ['acme', 'other'])
    await made.untilPublished()
    await assertFeed(made, written)
  }
  made.promote('c', 'other')
  await untilSwitched(made, 'c', ['other'])
  await untilSwitched(made, 'b', ['acme'])
  await assertFeed(made, written)
})

test('an event follows the event that it is derived from, and a history is published in its order', async (t) => {
  const made = await workshop(t)
  const written = writer(made, seededChance(t))
  made.promote('a')
  await written.rounds(60)
  await made.start()
  await made.untilPublished()
  const seqOf = (id: string) => Number(/^[tfc](\d+)-/.exec(id)?.[1] ?? Number.NaN)
  for (const { tenant, space } of spaces) {
    const feed = (await made.feed()).filter((event) => event.tenant === tenant && event.space === space)
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

test('a mark follows everything that the stages made of the utterances before it', async (t) => {
  const made = await workshop(t)
  const chance = seededChance(t)
  const written = writer(made, chance)
  made.promote('a')
  await made.start()
  for (let n = 0; n < 5; n++) {
    await written.rounds(5)
    await made.untilPublished()
    const ends = await made.log.endOffsets('utterances')
    for (const [key, { marked }] of folded(await made.feed())) {
      const marks = (await made.feed()).filter((event) => 'upTo' in event && `${event.tenant}/${event.space}` === key)
      const last = marks.at(-1)
      assert.ok(last && 'partition' in last && marked <= (ends[last.partition] ?? 0), key)
    }
    await assertFeed(made, written)
  }
})

test('without a live generation nothing is published, and the first one publishes its memory', async (t) => {
  const made = await workshop(t)
  const written = writer(made, seededChance(t))
  await written.rounds(10)
  await made.start()
  await sleep(300)
  assert.deepEqual(await made.feed(), [])
  made.promote('a')
  await made.untilPublished()
  await assertFeed(made, written)
})

test('the rows of a generation that is no longer live are removed from the state, and the next promotion reads it again', async (t) => {
  const made = await workshop(t)
  const written = writer(made, seededChance(t))
  made.promote('a')
  await made.start()
  await written.rounds(20)
  await made.untilPublished()
  for (const generation of ['c', 'a', 'c'] as const) {
    made.promote(generation)
    await untilSwitched(made, generation, ['acme', 'other'])
    await written.rounds(3)
    await made.untilPublished()
    await assertFeed(made, written)
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
      const made = await workshop(t)
      made.promote(generation)
      await made.start()
      await writer(made, chance).rounds(10)
      await made.untilPublished()
      return (await made.feed()).map(({ id }) => id)
    }),
  )
  const [original = [], copy = []] = feeds.map((ids) => new Set(ids))
  assert.ok(new Set(original).size > 20)
  assert.deepEqual(
    [...original].filter((id) => new Set(copy).has(id)),
    [],
  )
})
