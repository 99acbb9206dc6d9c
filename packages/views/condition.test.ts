import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from './condition.ts'

test('every value put into a condition is quoted as what it is', () => {
  assert.equal(
    sql`speaker = ${"O'Hara"} AND seq > ${1.5} AND deleted = ${false}`.text,
    "speaker = 'O''Hara' AND seq > 1.5 AND deleted = FALSE",
  )
  assert.equal(sql`id IN ${['a', "b'); --"]}`.text, "id IN ('a', 'b''); --')")
  assert.equal(sql`id IN ${[]}`.text, 'id IN (NULL)')
})

test('a condition inside another keeps its bounds', () => {
  assert.equal(sql`seq = ${1} AND ${sql`at < ${5} OR at > ${9}`}`.text, 'seq = 1 AND (at < 5 OR at > 9)')
})

test('a number that SQL cannot hold is a mistake of the caller', () => {
  assert.throws(() => sql`seq = ${Number.NaN}`)
  assert.throws(() => sql`seq = ${Number.POSITIVE_INFINITY}`)
})
