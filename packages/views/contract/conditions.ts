/**
 * Random conditions on random rows: a store must find exactly the rows for which `holds` is true, in every state of the
 * indexes. Ids, counts and full text are compared; so rows that a condition excludes take no places among the first
 * `limit`.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  after,
  and,
  atLeast,
  atMost,
  before,
  type Condition,
  contains,
  equals,
  hasAny,
  holds,
  isNull,
  not,
  oneOf,
  or,
} from '../condition.ts'
import type { WritableShard } from '../port.ts'
import type { StoredRow } from '../row.ts'
import { type FactRow, facts as table } from '../tables/facts.ts'
import { type Random, seeded } from './seeded.ts'
import { type Setup, testRow } from './setup.ts'

const spaces = ['acme/s0', 'acme/s1', "o'h/s0"]
const names = ['Ann', 'Bob', "O'Hara", 'Ünal', '', '%', 'é', '𝒜', '\uFF21']
const kinds = ['event', 'state', 'plan'] as const
/** The first one is the same in every run; the last is drawn again in each run, and printed. */
const seeds = [11, Number(process.env.LOOMLOG_SEED ?? Date.now() % 1_000_000)]
const rowCount = 240
const conditionsPerPhase = 25

const one = <T>(of: readonly T[], random: Random): T => of[random(of.length)] as T
const some = (random: Random, most: number) => Array.from({ length: random(most) }, () => one(names, random))

function randomRow(index: number, offset: number, space: string, random: Random): StoredRow<FactRow> {
  // The higher a word's number, the rarer it is.
  const words = Array.from({ length: 2 + random(12) }, () => `w${random(1 + random(80))}`)
  const time = (chance: number) => (random(chance) === 0 ? null : random(1_000))
  return testRow(`r${index}`, offset, {
    space,
    text: words.join(' '),
    speaker: one(names, random),
    conversation: `c${random(5)}`,
    at: time(8),
    validFrom: time(3),
    validTo: time(2),
    knownTo: time(1 + random(2)),
    kind: one(kinds, random),
    location: random(3) === 0 ? null : one(names, random),
    sources: some(random, 4),
    persons: some(random, 3),
    deleted: random(20) === 0,
  })
}

function simpleCondition(random: Random): Condition<FactRow> {
  const [time, name] = [random(1_000), one(names, random)]
  const timeColumn = one(['at', 'validFrom', 'validTo', 'knownTo'] as const, random)
  const textColumn = one(['speaker', 'location', 'text'] as const, random)
  const conditions: readonly Condition<FactRow>[] = [
    equals(textColumn, name),
    equals('kind', one(kinds, random)),
    equals('seq', random(rowCount)),
    oneOf('conversation', some(random, 3).concat(`c${random(6)}`)),
    oneOf('location', some(random, 3)),
    hasAny(one(['sources', 'persons'] as const, random), some(random, 3)),
    isNull(one(['at', 'validTo', 'knownTo', 'location'] as const, random)),
    contains(textColumn, one(['W1', 'o', "'", '', 'Ü'], random)),
    one([before, atMost, after, atLeast], random)(timeColumn, time),
    one([before, atMost, after, atLeast], random)(textColumn, name),
  ]
  return one(conditions, random)
}

function randomCondition(random: Random, depth = 3): Condition<FactRow> {
  if (depth === 0 || random(3) === 0) return simpleCondition(random)
  const parts = Array.from({ length: random(4) }, () => randomCondition(random, depth - 1))
  return one([and(...parts), or(...parts), not(randomCondition(random, depth - 1))], random)
}

async function compare(shard: WritableShard, rows: readonly StoredRow<FactRow>[], random: Random, phase: string) {
  for (let n = 0; n < conditionsPerPhase; n++) {
    const where = randomCondition(random)
    const space = one(spaces, random)
    const words = Array.from({ length: 1 + random(3) }, () => `w${random(1 + random(80))}`)
    const expected = rows.filter((row) => row.space === space && !row.deleted && holds(where, row))
    const ids = expected.map(({ id }) => id).sort()
    const context = `${phase}: in ${space} where ${JSON.stringify(where)}`
    const scanned = await shard.scan(table, { space, where, limit: rowCount })
    assert.deepEqual(scanned.map(({ id }) => id).sort(), ids, context)
    assert.equal(await shard.count(table, { space, where }), ids.length, context)
    const holding = expected.filter((row) => row.text.split(' ').some((word) => words.includes(word)))
    const search = { space, where, query: words.join(' ') }
    const all = await shard.fullText(table, { ...search, limit: rowCount })
    assert.deepEqual(
      all.map(({ row }) => row.id).sort(),
      holding.map(({ id }) => id).sort(),
      `${search.query}, ${context}`,
    )
    const limit = 1 + random(5)
    const few = await shard.fullText(table, { ...search, limit })
    // Rows of equal scores may replace each other.
    const scores = (hits: typeof all) => hits.map(({ score }) => score.toFixed(3))
    assert.deepEqual(scores(few), scores(all.slice(0, limit)), `${limit} of ${search.query}, ${context}`)
  }
}

export function conditionsContract(setup: Setup): void {
  for (const seed of seeds) {
    test(`random conditions find the rows for which \`holds\` is true (seed ${seed})`, async (t) => {
      const shard = await setup.shard(t)
      const random = seeded(seed)
      const rows: StoredRow<FactRow>[] = []
      let offset = 0
      const put = async (changed: readonly number[]) => {
        const changes = changed.map((index, at) => {
          const row = randomRow(index, offset + at, rows[index]?.space ?? one(spaces, random), random)
          rows[index] = row
          return { kind: 'put', row } as const
        })
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
}
