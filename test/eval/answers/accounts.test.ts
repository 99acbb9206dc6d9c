import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountsOf } from './accounts.ts'
import { rolesOf } from './conclusions.ts'

const answer = (task: string, given: object = {}) => {
  return { stage: 'fact-extractor', task, calls: 1, attempts: 1, inputTokens: 100, outputTokens: 20, ...given }
}

test('calls, repairs and tokens count by stage and task, and local embeddings are no calls', () => {
  const repaired = answer('extract-facts', { calls: 2, attempts: 2, inputTokens: 300, outputTokens: 40 })
  const { requests, perUtterance } = accountsOf(
    [answer('extract-facts'), repaired, answer('embed', { calls: 0, inputTokens: 0, outputTokens: 0 })],
    100,
  )
  assert.deepEqual(requests, { answers: 2, calls: 3, repairs: 1 })
  const row = { calls: 0.03, repairs: 0.01, inputTokens: 4, outputTokens: 0.6, tokens: 4.6 }
  assert.deepEqual(perUtterance, { 'fact-extractor extract-facts': row, all: row })
})

test("a person's fact from the person's own message is under a wrong role if the role is an agent's", () => {
  const messages = [
    { id: 'u1', speaker: 'Ann', role: 'human' as const },
    { id: 'u2', speaker: 'Bot', role: 'agent' as const },
  ]
  const facts = [
    { subject: 'ann', role: 'agent', sources: ['u1#2', 'u2'] },
    { subject: 'Ann', role: 'human', sources: ['u1'] },
    { subject: 'Ann', role: 'agent', sources: ['u2'] },
    { subject: 'Bot', role: 'agent', sources: ['u2'] },
  ]
  assert.deepEqual(rolesOf(facts, messages), { ofPersons: 2, underAgent: 1 })
})
