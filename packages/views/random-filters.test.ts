/** Full text under conditions, by chance, beside brute force: what the engine filters out must take no places, and nothing else is missing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Condition, sql } from './condition.ts'
import { temporaryShard, testRow } from './fixture.ts'
import type { Row } from './row.ts'
import type { WritableShard } from './shard.ts'

const table = 'facts'
const spaces = ['acme/s0', 'acme/s1', "o'h/s0"]
const speakers = ['Ann', 'Bob', "O'Hara", 'Ünal']
/** The first ones are the same in every run; the last is drawn anew, and printed. */
const seeds = [11, 12, Math.floor(Math.random() * 2 ** 31)]
const rowCount = 240
const conditionsPerPhase = 40

type Random = (below: number) => number

function drawing(seed: number): Random {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return Math.floor((state / 0x8000_0000) * below)
  }
}

const one = <T>(of: readonly T[], random: Random): T => of[random(of.length)] as T

function randomRow(index: number, offset: number, space: string, random: Random): Row {
  // Words of high numbers are rare.
  const words = Array.from({ length: 2 + random(12) }, () => `w${random(1 + random(80))}`)
  return testRow(`r${index}`, offset, {
    space,
    text: words.join(' '),
    speaker: one(speakers, random),
    conversation: `c${random(5)}`,
    at: random(8) === 0 ? null : random(1_000),
    knownTo: random(4) === 0 ? random(1_000) : null,
    deleted: random(20) === 0,
  })
}

interface Filter {
  readonly where: Condition
  holds(row: Row): boolean
}

function randomFilter(random: Random, depth = 2): Filter {
  const [time, speaker] = [random(1_000), one(speakers, random)]
  const conversations = Array.from({ length: random(3) }, () => `c${random(6)}`)
  const simple: readonly Filter[] = [
    { where: sql`speaker = ${speaker}`, holds: (row) => row.speaker === speaker },
    { where: sql`conversation IN ${conversations}`, holds: (row) => conversations.includes(row.conversation) },
    { where: sql`known_to IS NULL`, holds: (row) => row.knownTo === null },
    { where: sql`at >= ${time}`, holds: (row) => row.at !== null && row.at >= time },
    { where: sql`coalesce(at, ${0}) < ${time}`, holds: (row) => (row.at ?? 0) < time },
  ]
  if (depth === 0 || random(3) === 0) return one(simple, random)
  const [a, b] = [randomFilter(random, depth - 1), randomFilter(random, depth - 1)]
  return random(2) === 0
    ? { where: sql`${a.where} AND ${b.where}`, holds: (row) => a.holds(row) && b.holds(row) }
    : { where: sql`${a.where} OR ${b.where}`, holds: (row) => a.holds(row) || b.holds(row) }
}

async function compare(shard: WritableShard, rows: readonly Row[], random: Random, phase: string): Promise<void> {
  for (let n = 0; n < conditionsPerPhase; n++) {
    const { where, holds } = randomFilter(random)
    const space = one(spaces, random)
    const words = Array.from({ length: 1 + random(3) }, () => `w${random(1 + random(80))}`)
    const search = { space, where, query: words.join(' ') }
    const wanted = rows
      .filter((row) => row.space === space && !row.deleted && holds(row))
      .filter((row) => row.text.split(' ').some((word) => words.includes(word)))
    const what = `${phase}: ${search.query} in ${space} where ${where.text}`
    const all = await shard.fullText(table, { ...search, limit: rowCount })
    assert.deepEqual(all.map(({ row }) => row.id).sort(), wanted.map(({ id }) => id).sort(), what)
    const limit = 1 + random(5)
    const few = await shard.fullText(table, { ...search, limit })
    // One best row may stand for another of the same score.
    const scores = (hits: typeof all) => hits.map(({ score }) => score.toFixed(3))
    assert.deepEqual(scores(few), scores(all.slice(0, limit)), `${limit} of ${what}`)
  }
}

for (const seed of seeds) {
  test(`full text under random conditions finds what brute force finds (seed ${seed})`, async (t) => {
    const shard = await temporaryShard(t)
    const random = drawing(seed)
    const rows: Row[] = []
    let offset = 0
    const put = async (changed: readonly number[]) => {
      for (const index of changed)
        rows[index] = randomRow(index, offset + index, rows[index]?.space ?? one(spaces, random), random)
      const changes = changed.map(
        (index, at) => ({ kind: 'put', row: { ...(rows[index] as Row), offset: offset + at } }) as const,
      )
      offset += changed.length
      await shard.apply({ table, changes, watermark: offset })
    }
    const indexes = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)
    await put(indexes(0, rowCount / 2))
    await compare(shard, rows, random, 'unindexed')
    await shard.optimize()
    await compare(shard, rows, random, 'indexed')
    await put(indexes(rowCount / 2, rowCount))
    await put(indexes(0, rowCount / 6))
    await compare(shard, rows, random, 'partly indexed and updated')
    await shard.close()
  })
}
