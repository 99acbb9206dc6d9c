/** The invariants of the ledger, each checked after every operation of random leases. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@loomlog/log/port'
import { testSeed } from '../../test/seeded-random.ts'
import { type Entry, Ledger, maxHeldBytes } from './ledger.ts'

const maxInFlight = 16

function entry(offset: number, space = 's', bytes = 1): Entry {
  return { offset, space, bytes, outputs: [], writes: new Map(), span: null, state: 'working' }
}

/** A partition of these spaces' records, read and committed through a ledger as a lease does it. */
class Partition {
  readonly ledger = new Ledger(0)
  readonly working: Entry[] = []
  /** By space: the offsets that were accepted. */
  readonly accepted = new Map<string, number[]>()
  readonly #records: readonly LogRecord[]
  readonly #recordBytes: number
  readonly #finished = new Set<number>()
  readonly #committed = new Map<string, number[]>()
  #next = 0
  #position = 0

  constructor(spaces: readonly string[], recordBytes = 1) {
    this.#records = spaces.map((key, offset) => ({ key, offset }) as LogRecord)
    this.#recordBytes = recordBytes
  }

  /** @returns how many records were read */
  read(atMost: number): number {
    const room = Math.min(atMost, this.ledger.room(maxInFlight))
    if (room <= 0) return 0
    const target = this.ledger.seekTarget(maxInFlight)
    this.#next = target ?? this.#next
    const polled = this.#records.slice(this.#next, this.#next + room)
    this.#next += polled.length
    for (const record of this.ledger.candidates(polled)) {
      if (!this.ledger.isNext(record)) continue
      if (this.#wasAccepted(record)) this.ledger.passOver(record)
      else if (this.ledger.isFull(record.key ?? '', maxInFlight)) this.ledger.skip(record)
      else this.#accept(record)
      this.#check()
    }
    this.ledger.endBatch(polled)
    this.#check()
    return polled.length
  }

  finish(done: Entry): void {
    this.working.splice(this.working.indexOf(done), 1)
    this.#finished.add(done.offset)
    this.ledger.finish(done)
    this.#check()
  }

  commit(): number {
    const { entries, position } = this.ledger.nextCommit()
    this.ledger.markCommitted(entries)
    for (const { space, offset } of entries) {
      const offsets = this.#committed.get(space) ?? []
      assert.ok(offset > (offsets.at(-1) ?? -1), `L4: ${offset} of ${space} is released behind ${offsets.at(-1)}`)
      this.#committed.set(space, [...offsets, offset])
    }
    this.#position = position
    this.#check()
    return position
  }

  #wasAccepted({ key, offset }: LogRecord): boolean {
    return offset <= (this.accepted.get(key ?? '')?.at(-1) ?? -1)
  }

  #accept({ key, offset }: LogRecord): void {
    const space = key ?? ''
    const offsets = this.accepted.get(space) ?? []
    const expected = this.#records.find((record) => record.key === key && record.offset > (offsets.at(-1) ?? -1))
    assert.equal(offset, expected?.offset, `L1, L2: ${space} accepts another record than its next one`)
    const held = this.working.filter((each) => each.space === space).length
    assert.ok(held === 0 || held < maxInFlight - this.ledger.size, `L6: ${space} holds more than is free`)
    this.accepted.set(space, [...offsets, offset])
    const accepted = entry(offset, space, this.#recordBytes)
    this.ledger.accept(accepted)
    this.working.push(accepted)
  }

  #check(): void {
    const { position } = this.ledger.nextCommit()
    assert.ok(position >= this.#position, `L5: the position falls from ${this.#position} to ${position}`)
    for (let offset = this.#position; offset < position; offset += 1)
      assert.ok(this.#finished.has(offset), `L5: ${offset} is below the position ${position}, and not done`)
    assert.ok(this.ledger.size <= maxInFlight, `L6: ${this.ledger.size} records are held`)
  }
}

test('a space that finishes no record may have half of the records in flight, and the position waits for it', () => {
  const spaces = [...Array(100).fill('slow'), ...Array.from({ length: 300 }, (_, at) => `s${at % 3}`)]
  const partition = new Partition(spaces)
  for (let rounds = 0; rounds < 400; rounds += 1) {
    partition.read(5)
    for (const each of [...partition.working]) if (each.space !== 'slow') partition.finish(each)
    assert.equal(partition.commit(), 0)
  }
  assert.equal(partition.accepted.get('slow')?.length, maxInFlight / 2)
  for (const space of ['s0', 's1', 's2']) assert.equal(partition.accepted.get(space)?.length, 100)
})

test('large records fill the room of a space before many do', () => {
  const partition = new Partition([...Array(9).fill('slow'), 'other'], maxHeldBytes / 4)
  for (let rounds = 0; rounds < 9; rounds += 1) partition.read(1)
  assert.equal(partition.accepted.get('slow')?.length, 2)
  partition.read(1)
  assert.equal(partition.accepted.get('other')?.length, 1)
  assert.equal(partition.ledger.room(maxInFlight) > 0, true)
  for (let rounds = 0; rounds < 20; rounds += 1) {
    for (const each of [...partition.working]) partition.finish(each)
    partition.commit()
    partition.read(1)
  }
  assert.equal(partition.accepted.get('slow')?.length, 9, 'a commit frees the bytes')
})

test('when a space is skipped again, reading jumps to the frontier instead of reading everything up to it', () => {
  const partition = new Partition([...Array(12).fill('fast'), ...Array(200).fill('slow')])
  const { ledger } = partition
  const finish = (space: string, count: number) => {
    for (const each of partition.working.filter((one) => one.space === space).slice(0, count)) partition.finish(each)
    partition.commit()
  }
  while (partition.read(5) > 0);
  finish('fast', 12)
  while (partition.read(5) > 0);
  finish('fast', 12)
  assert.equal(partition.accepted.get('fast')?.length, 12)
  for (let rounds = 0; rounds < 3; rounds += 1) {
    finish('slow', 6)
    assert.ok(partition.read(16) > 0)
    assert.equal(ledger.seekTarget(maxInFlight), 212)
  }
})

test('the position is the first uncommitted offset, regardless of spaces ahead of it', () => {
  const ledger = new Ledger(10)
  const [a, b, c, d] = [entry(10, 'x'), entry(11, 'y'), entry(13, 'x'), entry(14, 'y')]
  for (const each of [a, b, c, d]) ledger.accept(each)
  assert.equal(ledger.nextCommit().position, 10)
  ledger.finish(d)
  assert.deepEqual(ledger.nextCommit(), { entries: [], position: 10 })
  ledger.finish(b)
  const first = ledger.nextCommit()
  assert.deepEqual(first, { entries: [b, d], position: 10 })
  ledger.finish(a)
  ledger.markCommitted(first.entries)
  assert.equal(ledger.size, 2)
  assert.deepEqual(ledger.nextCommit(), { entries: [a], position: 13 })
  ledger.passOver({ key: 'z', offset: 15 } as LogRecord)
  ledger.finish(c)
  assert.deepEqual(ledger.nextCommit(), { entries: [a, c], position: 16 })
})

const firstSeed = testSeed()

for (let seed = firstSeed; seed < firstSeed + 24; seed += 1) {
  test(`L1 to L6 hold for random leases, and every record is committed in the end (LOOMLOG_SEED=${seed})`, () => {
    const random = generator(seed)
    const spaces = Array.from({ length: 600 }, () => `s${Math.floor(random() ** 2 * 12)}`)
    const slowSpaces = Math.floor(random() * 6)
    const slowShare = 0.01 + random() * 0.1
    const isSlow = (space: string) => Number(space.slice(1)) < slowSpaces
    const partition = new Partition(spaces)
    let position = 0
    for (let rounds = 0; position < spaces.length; rounds += 1) {
      assert.ok(rounds < 100_000, `L3: the position stays at ${position}`)
      partition.read(1 + Math.floor(random() * 7))
      for (const each of [...partition.working])
        if (random() < (isSlow(each.space) ? slowShare : 0.6)) partition.finish(each)
      if (random() < 0.5) position = partition.commit()
    }
    for (const [space, offsets] of partition.accepted) {
      const all = spaces.flatMap((each, offset) => (each === space ? [offset] : []))
      assert.deepEqual(offsets, all, `L1: ${space}`)
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
