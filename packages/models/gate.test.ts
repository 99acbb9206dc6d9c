import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as soon } from 'node:timers/promises'
import { gate } from './gate.ts'

/** Work that ends when it is told to: who was let in, in that order. */
function passing(places: number) {
  const doors = gate(places)
  const entered: string[] = []
  const underWay: { readonly name: string; end(): void }[] = []
  return {
    entered,
    ask(askedFor: string, times = 1): void {
      for (let n = 0; n < times; n += 1) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const work = () => {
          entered.push(askedFor)
          underWay.push({ name: askedFor, end: resolve })
          return promise
        }
        void doors.pass(work, { askedFor })
      }
    },
    async end(askedFor: string): Promise<void> {
      const at = underWay.findIndex(({ name }) => name === askedFor)
      underWay.splice(at, 1)[0]?.end()
      await soon()
    },
  }
}

test('who has fewer pieces under way goes first, however many the other had in line before', async () => {
  const { ask, end, entered } = passing(4)
  ask('many')
  await soon()
  await end('many')
  ask('many', 20)
  await soon()
  assert.deepEqual(entered, Array(5).fill('many'), 'one who is known to be quick has all the places')
  ask('few', 3)
  ask('other', 2)
  entered.length = 0
  for (const each of ['many', 'many', 'few', 'other', 'few']) await end(each)
  assert.deepEqual(entered, ['few', 'other', 'few', 'other', 'few'])
})

test('who is slow, or not known to be quick, leaves half of the places to others, also while nobody else waits', async (t) => {
  t.mock.method(performance, 'now', () => now)
  let now = 0
  const { ask, end, entered } = passing(8)
  ask('slow', 20)
  await soon()
  assert.equal(entered.length, 4)
  now = 60_000
  await end('slow')
  assert.equal(entered.length, 5)
  ask('quick')
  ask('other')
  await soon()
  assert.deepEqual(entered.slice(-2), ['quick', 'other'])
})

test('where nobody else has been for a minute, who is slow leaves an eighth of the places, and half again when somebody comes', async (t) => {
  t.mock.method(performance, 'now', () => now)
  let now = 0
  const { ask, end, entered } = passing(16)
  ask('slow', 40)
  await soon()
  assert.equal(entered.length, 8)
  now = 60_001
  await end('slow')
  assert.equal(entered.length, 15, 'fourteen are under way')
  ask('other', 2)
  await soon()
  assert.deepEqual(entered.slice(15), ['other'])
  entered.length = 0
  for (let n = 0; n < 7; n += 1) await end('slow')
  assert.deepEqual(entered, ['other'])
})

test('what is asked for the same one comes in the order in which it was asked, and one place is enough', async () => {
  const doors = gate(1)
  const order: number[] = []
  const work = (n: number) => async () => {
    order.push(n)
    await soon()
  }
  await Promise.all([1, 2, 3, 4].map((n) => doors.pass(work(n), { askedFor: 'a' })))
  assert.deepEqual(order, [1, 2, 3, 4])
})
