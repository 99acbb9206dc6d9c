import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '@loomlog/views/row'
import { memoryOfUtterance } from '../memory.ts'
import { readMemory } from './stated-changes.ts'

test('a message is read once for a row that a cached space keeps, regardless of other messages', () => {
  const row = { id: 'u1', text: 'Ann: the meeting is moved to 10:00.', speaker: 'Ann', sources: [] } as unknown as Row
  const first = readMemory(memoryOfUtterance(row))
  const long = ` ${'and the boat needs paint '.repeat(100)}`
  for (let n = 0; n < 200; n += 1) readMemory({ speaker: 'Ann', text: `Ann: message ${n}${long}` })
  assert.equal(readMemory(memoryOfUtterance(row)), first)
})
