import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, and, equals, hasAny, isNull, not, oneOf, or } from '../condition.ts'
import { facts } from '../tables/facts.ts'
import { toSql } from './sql.ts'

test('every value is quoted by its type, and a nested condition keeps its brackets', () => {
  const where = and(equals('speaker', "O'Hara"), or(after('seq', 1.5), equals('deleted', false)))
  assert.equal(toSql(where, facts), "(`speaker` = 'O''Hara') AND ((`seq` > 1.5) OR (`deleted` = FALSE))")
  assert.equal(toSql(oneOf('id', ['a', "b'); --"]), facts), "`id` IN ('a', 'b''); --')")
  assert.equal(toSql(hasAny('sources', ['a']), facts), "array_has_any(`sources`, make_array('a'))")
})

test('a comparison with null or with an empty list is false', () => {
  assert.equal(toSql(not(after('validTo', 5)), facts), 'NOT ((`valid_to` IS NOT NULL AND `valid_to` > 5))')
  assert.equal(toSql(isNull('knownTo'), facts), '`known_to` IS NULL')
  assert.equal(toSql(isNull('lineage'), facts), '`lineage` IS NULL')
  assert.deepEqual(
    [oneOf('id', []), or(), and()].map((each) => toSql(each, facts)),
    ['FALSE', 'FALSE', 'TRUE'],
  )
})

test('a number beyond SQL, and a column that conditions can’t compare, are programmer errors', () => {
  for (const number of [Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => toSql(equals('seq', number), facts), /no SQL literal/)
  }
  assert.throws(() => toSql(equals('lineage', ''), facts), /facts has no column lineage/)
  assert.throws(() => toSql(equals('heading', ''), facts), /facts has no column heading/)
})
