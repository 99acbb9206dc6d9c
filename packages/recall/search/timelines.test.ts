import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain } from '../explain.ts'
import { memory, row } from '../fixture.ts'
import { recall } from '../recall.ts'

const home = 'acme/home'
const texts = ['Ada bought a boat.', 'The engine was repaired.', 'The mast broke.', 'Ada sold it to Ben.']

/** Four events in one timeline, and one without a timeline. */
async function woven(t: Parameters<typeof memory>[0]) {
  const place = await memory(t)
  const event = (n: number, text: string) =>
    row(home, `e${n}`, text, { at: n, seq: n, conversation: `c${n}`, sources: [`u${n}`], kind: 'event' })
  await place.write('facts', [
    ...(await Promise.all(texts.map((text, n) => event(n, text)))),
    await event(9, 'Rain fell.'),
  ])
  const link = (trace: string, n: number, space = home) =>
    row(space, `l${trace}${n}`, 'The boat', { seq: n, trace, event: `e${n}`, position: n })
  const links = [...texts.keys()].map((n) => link('b0a7', n))
  await place.write('links', await Promise.all([...links, link('a1', 9), link('b0a7', 9, 'acme/work')]))
  return place
}

test('an event brings its complete timeline, in the order of linking, each event with its position', async (t) => {
  const place = await woven(t)
  const { items } = await recall({ space: home, query: 'Who bought a boat?', mode: 'trace_event', limit: 4 }, place)
  assert.deepEqual(
    items.map(({ id }) => id),
    ['e0', 'e1', 'e2', 'e3'],
  )
  const [first, second] = items
  assert.deepEqual(second?.traces, [{ id: 'b0a7', title: 'The boat', position: 2, events: 4 }])
  assert.equal(second?.text, '[The boat, 2 of 4] The engine was repaired.')
  assert.ok((first?.score ?? 0) > (second?.score ?? 0) && (second?.score ?? 0) > 0.9 * (first?.score ?? 0))
})

test('a single event has no timeline, and events outside the filter are left out', async (t) => {
  const place = await woven(t)
  const alone = await recall({ space: home, query: 'rain', kinds: ['event'], limit: 1 }, place)
  assert.deepEqual([alone.items[0]?.text, alone.items[0]?.traces], ['Rain fell.', undefined])
  const filter = { conversations: ['c0', 'c2'] }
  const some = await recall({ space: home, query: 'Who bought a boat?', mode: 'trace_event', filter }, place)
  assert.deepEqual(
    some.items.map(({ id }) => id),
    ['e0', 'e2'],
  )
})

test('an explained event has its own contributions, or that of its timeline', async (t) => {
  const place = await woven(t)
  const { candidates } = await explain({ space: home, query: 'Who bought a boat?', mode: 'trace_event' }, place)
  for (const { contributions, score } of candidates) {
    const sum = contributions.reduce((total, each) => total + each.contribution, 0)
    assert.ok(Math.abs(sum - score) < 1e-9)
  }
  assert.ok(candidates.find(({ id }) => id === 'e0')?.contributions.some(({ part }) => part === 'words'))
  assert.deepEqual(
    candidates.find(({ id }) => id === 'e2')?.contributions.map(({ part }) => part),
    ['events'],
  )
})
