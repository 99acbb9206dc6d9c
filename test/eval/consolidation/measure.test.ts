import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measure } from './measure.ts'

test('ten changes among 200 facts: the current value is right, and good and faulty plans of a model lose nothing', async () => {
  const { memory, plans, found } = await measure()
  assert.deepEqual(memory.faults, [])
  for (const [name, { faults }] of Object.entries(plans)) assert.deepEqual(faults, [], name)
  for (const [name, faults] of Object.entries(found)) assert.notDeepEqual(faults, [], `the mutant that ${name}`)
})
