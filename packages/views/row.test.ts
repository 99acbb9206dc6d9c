import assert from 'node:assert/strict'
import { test } from 'node:test'
import { text } from './column.ts'
import { type SharedColumns, sharedColumns } from './row.ts'
import { defineTable } from './table.ts'
import { facts } from './tables/facts.ts'

/** A filter could take the empty value of these kinds, '', 0 or false, for a value of the row. */
const filterableWhenEmpty = ['text', 'number', 'flag']
/** These have a value on every row, or no filter asks for their empty value: recall refuses '' as a conversation. */
const allowed: readonly (keyof SharedColumns)[] = [
  ...(['id', 'space', 'seq', 'ordinal', 'knownFrom', 'offset', 'deleted'] as const),
  ...(['conversation', 'speaker', 'text'] as const),
]

test('a row without a value passes no filter: a column that rows may lack is null or a list', () => {
  for (const [name, { kind }] of Object.entries(sharedColumns)) {
    const isSafe = !filterableWhenEmpty.includes(kind) || allowed.some((each) => each === name)
    assert.ok(isSafe, `${name} is a ${kind}: make it an optionalText, an optionalNumber or texts`)
  }
})

test('a table has no column of its own with the name of a shared one', () => {
  for (const name of Object.keys(sharedColumns)) {
    const define = () => defineTable({ ...facts, columns: { ...facts.columns, [name]: text() } })
    assert.throws(define, new RegExp(`the table facts has a column ${name}, which every table has`))
  }
})
