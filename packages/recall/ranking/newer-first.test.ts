import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { ScoredMemory } from '../memory.ts'
import { bestFirst } from './merge-kinds.ts'
import { withNewerFirst } from './newer-first.ts'

interface Line {
  readonly text: string
  readonly score: number
  readonly speaker?: string
  /** A later message replaces it, or only these of its sentences. */
  readonly outdated?: 'all' | readonly string[]
}

/** The lines in the order of a result, uttered in the order given. */
function ordered(question: string, lines: readonly Line[]): readonly string[] {
  const scored = lines.map(({ text, score, speaker = 'Udo', outdated }, n): ScoredMemory => {
    const spoken = { conversation: 'c', at: n * 86_400_000, offset: n, method: null, sources: [`u${n}`] }
    const times = { valid: { from: null, to: null }, known: { from: 0, to: null } }
    return {
      id: `u${n}`,
      kind: 'utterance',
      space: 'a/b',
      text: `${speaker}: ${text}`,
      speaker,
      score,
      ...spoken,
      ...times,
      ...(outdated !== undefined && { replacedBy: ['v'], ...(outdated !== 'all' && { outdated }) }),
    }
  })
  return bestFirst(withNewerFirst(scored, question, { roleOf: () => 'human', moment: Number.POSITIVE_INFINITY })).map(
    ({ text }) => text.replace(/^\w+: /, ''),
  )
}

const older = { text: 'The review of the harbour budget is on Tuesday at 10:00.', score: 0.5 }
const newer = { text: 'The review of the harbour budget moved to Thursday at 14:00 now.', score: 0.2 }
const question = 'When is the review of the harbour budget?'

it('a newer statement with another value comes before the older one that it is likely to update', () => {
  assert.deepEqual(ordered(question, [older, newer]), [newer.text, older.text])
})

it('a question about the earlier value keeps the order', () => {
  assert.deepEqual(ordered('When was the review originally?', [older, newer]), [older.text, newer.text])
})

it('a newer statement about another matter stays where it is', () => {
  const other = { text: 'Rosa called the plumber.', score: 0.2 }
  assert.deepEqual(ordered(question, [older, other]), [older.text, other.text])
})

it('a change of another matter stays where it is, even though it names the same day', () => {
  const dentist = { text: 'The dentist changed my date from Tuesday to Thursday at 14:00.', score: 0.2 }
  assert.deepEqual(ordered(question, [older, dentist]), [older.text, dentist.text])
})

it('an outdated statement is not ranked again', () => {
  const lines = [
    { ...older, score: 0.2, outdated: 'all' as const },
    { ...newer, score: 0.1 },
  ]
  assert.deepEqual(ordered(question, lines), [older.text, newer.text])
})
