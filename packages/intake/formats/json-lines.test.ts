import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSample } from './fixture.ts'

const line = { conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: 'I sail.' }
const lines = (...values: readonly object[]) => values.map((value) => JSON.stringify(value)).join('\n')

test('a line may name its space and its tenant, and the others have those of the command', () => {
  const { utterances, faults } = readSample(
    'jsonl',
    lines(line, { ...line, space: 'work' }, { ...line, tenant: 'acme' }),
  )
  assert.deepEqual(faults, [])
  assert.deepEqual(
    utterances.map(({ tenant, space }) => `${tenant}/${space}`),
    ['default/home', 'default/work', 'acme/home'],
  )
  assert.equal(new Set(utterances.map(({ id }) => id)).size, 3)
})

test('a space or tenant that is no name is named with its line', () => {
  const { faults } = readSample(
    'jsonl',
    lines({ ...line, space: 'a/b' }, { ...line, tenant: 7 }, { ...line, space: null }),
  )
  assert.match(faults[0] ?? '', /^talk\.json:1: space is "a\/b": expected a name without a slash$/)
  assert.match(faults[1] ?? '', /^talk\.json:2: tenant is 7: expected 1 to 256 characters/)
  assert.equal(faults.length, 2)
})
