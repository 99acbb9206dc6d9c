import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asStatement, questionFrom } from './question.ts'

test('a question becomes a statement in the words of its subject', () => {
  const examples = [
    ['When did Ann go to the support group?', 'I go to the support group'],
    ["What is Ann's favourite colour?", 'my favourite colour'],
    ['How many boats does Ann have?', 'boats I have'],
  ] as const
  for (const [question, statement] of examples) assert.equal(asStatement(question), statement)
})

test('a statement has no other statement', () => {
  for (const query of ['the red boat', 'Ann sold her boat.', 'где живёт Майя']) assert.equal(asStatement(query), null)
})

test('the kind of answer, the stems and the times are read from a question', () => {
  const question = questionFrom('Who did Maria have dinner with on May 3, 2023?', Date.UTC(2024, 0, 1))
  assert.deepEqual([...question.wants], ['person'])
  assert.ok(question.stems.includes('dinner') && !question.stems.includes('who'))
  assert.deepEqual(
    question.times.map(({ from }) => from),
    [Date.UTC(2023, 4, 3)],
  )
  assert.deepEqual([...questionFrom('How many dogs does Ann have?', 0).wants], ['number'])
})

test('a question wants a list if it asks for things in the plural', () => {
  const wantsList = (query: string) => questionFrom(query, 0).wants.has('list')
  for (const query of [
    'Which boats did Ann sell?',
    'What new hobbies does Ann have?',
    'What kind of music does Ann like?',
    'What activities are planned?',
  ])
    assert.ok(wantsList(query), query)
  for (const query of [
    "What is Ann's colour?",
    'What was the name of the boat?',
    'What does Jess like?',
    'What did James sell?',
    'Which boat was sold?',
    'What address does Ann have?',
    'Which bus is hers?',
  ])
    assert.ok(!wantsList(query), query)
})
