import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@loomlog/log/port'
import { type Entry, ReleaseQueue } from './release.ts'
import { maxHeldBytes, Window } from './window.ts'

const places = 16

/** A partition whose records somebody accepts through a window, as a lease does, and finishes when the test says. */
function reading(spaces: readonly string[], recordBytes = 1) {
  const queue = new ReleaseQueue(0)
  const window = new Window(queue, 0)
  const held: Entry[] = []
  const accepted = new Map<string, number[]>()
  let next = 0
  let position = 0
  const records = spaces.map((key, offset) => ({ key, offset }) as LogRecord)

  function accept({ key, offset }: LogRecord): void {
    const space = key ?? ''
    const offsets = accepted.get(space) ?? []
    window.accepted(records[offset] as LogRecord)
    // What was accepted is done, or at work.
    if (offset <= (offsets.at(-1) ?? -1)) {
      queue.pass(offset)
      return
    }
    accepted.set(space, [...offsets, offset])
    const entry: Entry = { offset, space, bytes: recordBytes, outputs: [], writes: new Map(), state: 'working' }
    queue.add(entry)
    held.push(entry)
  }

  return {
    window,
    queue,
    accepted,
    held,
    /** @returns how many were read */
    read(most: number): number {
      const room = Math.min(most, window.room(places))
      if (room <= 0) return 0
      next = window.turn(places) ?? next
      const polled = records.slice(next, next + room)
      next += polled.length
      for (const record of window.candidates(polled)) {
        if (!window.isNext(record)) continue
        const isDone = record.offset <= (accepted.get(record.key ?? '')?.at(-1) ?? -1)
        if (!isDone && window.isFull(record.key ?? '', places)) window.readLater(record)
        else accept(record)
      }
      window.readThrough(polled)
      return polled.length
    },
    finish(entry: Entry): void {
      held.splice(held.indexOf(entry), 1)
      queue.done(entry)
    },
    commit(): number {
      const { batch, position: reached } = queue.released(window.floor)
      assert.ok(reached >= position, `the position went back from ${position} to ${reached}`)
      position = reached
      queue.committed(batch)
      return position
    },
  }
}

test('a space that finishes nothing leaves half of the places to others, and the position waits for it', () => {
  const here = reading([...Array(100).fill('slow'), ...Array.from({ length: 300 }, (_, at) => `s${at % 3}`)])
  while (here.read(5) > 0) for (const entry of [...here.held]) if (entry.space !== 'slow') here.finish(entry)
  here.commit()
  for (let rounds = 0; rounds < 200; rounds += 1) {
    here.read(5)
    for (const entry of [...here.held]) if (entry.space !== 'slow') here.finish(entry)
    assert.equal(here.commit(), 0)
  }
  assert.equal(here.accepted.get('slow')?.length, places / 2)
  for (const space of ['s0', 's1', 's2']) assert.equal(here.accepted.get(space)?.length, 100)
  assert.equal(here.window.floor, places / 2)
})

test("large records fill a space's part of the window before many do", () => {
  const here = reading([...Array(9).fill('slow'), 'other'], maxHeldBytes / 4)
  for (let rounds = 0; rounds < 9; rounds += 1) here.read(1)
  assert.equal(here.accepted.get('slow')?.length, 2)
  here.read(1)
  assert.equal(here.accepted.get('other')?.length, 1)
})

for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
  test(`every record is accepted once and in its space's order, and the position is behind nothing undone (${seed})`, () => {
    const random = generator(seed)
    // Some spaces have much to do, and some are slow.
    const spaces = Array.from({ length: 600 }, () => `s${Math.floor(random() ** 2 * 12)}`)
    const here = reading(spaces)
    const isSlow = (space: string) => space === 's0' || space === 's3' || (seed > 6 && space < 's5')
    const done = new Set<number>()
    let rounds = 0
    for (; done.size < spaces.length; rounds += 1) {
      assert.ok(rounds < 100_000, 'it comes to an end')
      here.read(1 + Math.floor(random() * 7))
      for (const entry of [...here.held]) {
        if (random() > (isSlow(entry.space) ? 0.01 : 0.6)) continue
        here.finish(entry)
        done.add(entry.offset)
      }
      if (random() < 0.5) continue
      const position = here.commit()
      for (let offset = 0; offset < position; offset += 1) assert.ok(done.has(offset), `${offset} is not done`)
      assert.ok(here.queue.size <= places)
    }
    here.read(1)
    assert.equal(here.commit(), spaces.length)
    for (const [space, offsets] of here.accepted) {
      const wanted = spaces.flatMap((each, offset) => (each === space ? [offset] : []))
      assert.deepEqual(offsets, wanted)
    }
  })
}

function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
