import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CorpusConversation, MarkedMessage } from '../corpus/conversation.ts'
import { packed } from './contexts.ts'
import { linesOf, trialOf } from './trial.ts'

const message = (id: string, at: string, given: Partial<MarkedMessage> = {}): MarkedMessage => {
  const marks = { facts: [], traps: [], changes: [], seems: [], instructions: [], instructionTraps: [], opens: '' }
  return { id, conversation: 'notes', speaker: 'Ann', role: 'human', at, text: `words of ${id}`, ...marks, ...given }
}

const conversation = (name: string, messages: readonly MarkedMessage[]): CorpusConversation => {
  const asked = { question: 'q1', ask: 'Who?', kind: 'who' as const, gold: [], stale: [], answer: 'Ann' }
  const card = { who: '', talk: '', changes: '', traps: '' }
  return { name, kind: '', language: 'en', card, messages, questions: [asked] }
}

test('the messages of a trial interleave in time, and conversations of one name stay apart', () => {
  const one = conversation('one', [message('a1', '2026-01-01T09:00:00Z'), message('a2', '2026-01-03T09:00:00Z')])
  const other = conversation('other', [message('b1', '2026-01-02T09:00:00Z')])
  const { messages, questions } = trialOf([one, other])
  assert.deepEqual(
    messages.map(({ id, conversation }) => [id, conversation]),
    [
      ['a1', 'notes'],
      ['b1', 'other/notes'],
      ['a2', 'notes'],
    ],
  )
  assert.deepEqual(
    questions.map(({ id }) => id),
    ['one/q1', 'other/q1'],
  )
  assert.deepEqual(Object.keys(JSON.parse(linesOf({ messages }).split('\n')[0] ?? '')), [
    ...['id', 'conversation', 'speaker', 'role', 'at', 'text'],
  ])
})

test('two messages with one id are refused', () => {
  const same = ['one', 'other'].map((name) => conversation(name, [message('a1', '2026-01-01T09:00:00Z')]))
  assert.throws(() => trialOf(same), /two messages have the id a1/)
})

test('fusion shows whole messages in the order of time, and skips one that does not fit', () => {
  const ranked = [
    { message: message('late', '2026-01-03T09:00:00Z'), tokens: 7 },
    { message: message('long', '2026-01-02T09:00:00Z', { text: 'word '.repeat(80) }), tokens: 83 },
    { message: message('early', '2026-01-01T09:00:00Z'), tokens: 7 },
  ]
  assert.equal(packed(ranked, 50), '1 Jan 2026\n1 Ann: words of early\n3 Jan\n2 Ann: words of late\n')
  assert.equal(packed(ranked, 4), '')
})
