import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measure } from './measure.ts'

test('after ten changes among 200 facts the current value is right, and neither good nor faulty plans lose a fact', async () => {
  const { memory, plans, found } = await measure()
  assert.deepEqual(memory.faults, [])
  for (const [name, { faults }] of Object.entries(plans)) assert.deepEqual(faults, [], name)
  for (const [name, faults] of Object.entries(found)) assert.notDeepEqual(faults, [], `the mutant that ${name}`)
})
