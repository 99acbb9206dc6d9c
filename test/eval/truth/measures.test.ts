import assert from 'node:assert/strict'
import test from 'node:test'
import type { Conversation } from './conversation.ts'
import { measure } from './measures.ts'
import type { Evidence, RecordedFact } from './memory.ts'

const noMarks = { facts: [], traps: [], changes: [] }
const conversation: Conversation = {
  name: 'move',
  language: 'en',
  messages: [],
  marks: new Map([
    ['a', { ...noMarks, facts: ['Sofia lives in Graz'] }],
    ['b', noMarks],
    ['c', { ...noMarks, facts: ['Sofia lives in Linz'], changes: [{ was: ['a'], ask: 'Where does Sofia live?' }] }],
  ]),
}

async function measureOf(evidence: readonly Evidence[], facts: readonly RecordedFact[] = []) {
  const memory = { facts, replacements: [], ask: async () => evidence }
  return await measure(conversation, memory, new Map())
}

const piece = (id: string, ...replacedBy: readonly string[]): Evidence => ({ id, sources: [id], replacedBy })

async function changeIn(...evidence: readonly Evidence[]) {
  const [change] = (await measureOf(evidence)).changes
  return [change?.isRecognised, change?.isStale, change?.hasCurrent]
}

test('a change is recognised if its old message is marked as replaced by the message that states it', async () => {
  assert.deepEqual(await changeIn(piece('a', 'c'), piece('c')), [true, false, true])
  const correction = { id: 'fact', sources: ['c'], replacedBy: [] }
  assert.deepEqual(await changeIn(piece('a', 'fact'), correction), [true, false, true], 'by a fact of this message')
})

test('a mark that names another message is no recognised change, and the old message stays stale', async () => {
  assert.deepEqual(await changeIn(piece('a', 'b'), piece('b'), piece('c')), [false, true, true])
})

test('a result without the current message is counted, also if nothing in it is stale', async () => {
  assert.deepEqual(await changeIn(), [false, false, false])
  assert.deepEqual(await changeIn(piece('a')), [false, true, false])
})

test('two facts that say one marked fact cover one', async () => {
  const fact = { text: 'Sofia lives in Graz', sources: ['a'] }
  const { covered, marked, facts } = await measureOf([], [fact, fact, { text: 'Sofia lives in Ulm', sources: ['a'] }])
  assert.deepEqual([covered, marked], [1, 2])
  assert.deepEqual(
    facts.map(({ verdict }) => verdict),
    ['right', 'right', 'unjudged'],
  )
})
