import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoomlogError } from '@loomlog/errors'
import { retryingSchemaLookup } from './retrying-schema-lookup.ts'

const waiting = { lagMs: 60_000, betweenTriesMs: 5, trustMs: 60_000 }

/** A registry that knows the schema from the given lookup on. */
function registryFrom(first: number, code: 'schema-unknown' | 'log-unavailable' = 'schema-unknown') {
  const asked: number[] = []
  const lookup = async (id: number) => {
    if (asked.push(id) < first) throw new LoomlogError(code, `there is no schema with id ${id}`)
    return `schema ${id}`
  }
  return { asked, lookup }
}

test('a schema that reaches the registry after its first record is found', async () => {
  const { lookup, asked } = registryFrom(3)
  assert.equal(await retryingSchemaLookup(lookup, waiting)(7), 'schema 7')
  assert.deepEqual(asked, [7, 7, 7])
})

test('a schema that never comes is unknown after the lag, and the next one at once', async () => {
  const { lookup, asked } = registryFrom(Number.POSITIVE_INFINITY)
  const schema = retryingSchemaLookup(lookup, { ...waiting, lagMs: 200 })
  await assert.rejects(schema(7), { code: 'schema-unknown' })
  assert.ok(asked.length > 1, `${asked.length} lookups`)
  asked.length = 0
  await assert.rejects(schema(8), { code: 'schema-unknown' })
  assert.deepEqual(asked, [8])
})

test('a registry that does not answer is reported at once', async () => {
  const { lookup, asked } = registryFrom(3, 'log-unavailable')
  await assert.rejects(retryingSchemaLookup(lookup, waiting)(7), { code: 'log-unavailable' })
  assert.deepEqual(asked, [7])
})
