import assert from 'node:assert/strict'
import { test } from 'node:test'
import { questionFrom } from '../request/question.ts'
import type { Candidate } from '../search/candidates.ts'
import { cues, timely } from './cues.ts'

const may = Date.UTC(2023, 4, 3)
const candidate = (words: string, at = 0) => ({ words, memory: { at } }) as Candidate

test('what tells of the time that is asked about, or was said then, has that for it', () => {
  const pool = [
    candidate('We sailed on 3 May 2023.'),
    candidate('We sailed.', may + 86_400_000),
    candidate('We sailed on 5 June 2023.'),
  ]
  const of = (query: string) => Object.fromEntries(timely(questionFrom(query, Date.UTC(2024, 0)), pool))
  assert.deepEqual(of('What happened on 3 May 2023?'), {
    'tells of the time': [1, 0, 0],
    'said at the time': [0, 1, 0],
  })
  assert.deepEqual(of('What happened?'), { 'tells of the time': [0, 0, 0], 'said at the time': [0, 0, 0] })
})

test('what holds the kind of answer that is asked for has that for it, and only where it is asked for', () => {
  const pool = ['It was yesterday', 'I saw Porto', 'We had three boats', 'We left because of the rain'].map((words) =>
    candidate(words),
  )
  const of = (query: string, want: string) =>
    new Map(cues(questionFrom(query, 0), pool)).get(`holds the ${want} asked for`)
  assert.deepEqual(of('When was it?', 'time'), [1, 0, 0, 0])
  assert.deepEqual(of('Where was it?', 'place'), [0, 1, 0, 0])
  assert.deepEqual(of('How many were there?', 'number'), [0, 0, 1, 0])
  assert.deepEqual(of('Why did you leave?', 'reason'), [0, 0, 0, 1])
  assert.deepEqual(of('What was it?', 'time'), [0, 0, 0, 0])
})
