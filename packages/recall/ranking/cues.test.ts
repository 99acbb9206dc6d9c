import assert from 'node:assert/strict'
import { test } from 'node:test'
import { questionFrom } from '../request/question.ts'
import type { Candidate } from '../search/candidates.ts'
import { hasAnswer, timeCues } from './cues.ts'
import { type AnswerKind, TextCues } from './text-cues.ts'

const may = Date.UTC(2023, 4, 3)
const candidate = (words: string, at = 0) => ({ words, cues: new TextCues(words), memory: { at } }) as Candidate

test('a candidate that mentions the time of the question, or was uttered then, has a time cue', () => {
  const pool = [
    candidate('We sailed on 3 May 2023.'),
    candidate('We sailed.', may + 86_400_000),
    candidate('We sailed on 5 June 2023.'),
  ]
  const cuesOf = (query: string) => {
    const { mentions, uttered } = timeCues(questionFrom(query, Date.UTC(2024, 0)), pool)
    return { mentions: [...mentions], uttered: [...uttered] }
  }
  assert.deepEqual(cuesOf('What happened on 3 May 2023?'), { mentions: [1, 0, 0], uttered: [0, 1, 0] })
  assert.deepEqual(cuesOf('What happened?'), { mentions: [0, 0, 0], uttered: [0, 0, 0] })
})

test('a candidate has the cue of an answer kind only if the question wants it', () => {
  const pool = ['It was yesterday', 'I saw Porto', 'We had three boats', 'We left because of the rain'].map((words) =>
    candidate(words),
  )
  const cuesOf = (query: string, kind: AnswerKind) => [...hasAnswer(kind, questionFrom(query, 0), pool)]
  assert.deepEqual(cuesOf('When was it?', 'time'), [1, 0, 0, 0])
  assert.deepEqual(cuesOf('Where was it?', 'place'), [0, 1, 0, 0])
  assert.deepEqual(cuesOf('How many were there?', 'number'), [0, 0, 1, 0])
  assert.deepEqual(cuesOf('Why did you leave?', 'reason'), [0, 0, 0, 1])
  assert.deepEqual(cuesOf('What was it?', 'time'), [0, 0, 0, 0])
})
