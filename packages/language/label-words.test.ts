import { deepStrictEqual as same } from 'node:assert/strict'
import { test } from 'node:test'
import { labelWords } from './label-words.ts'

test('the nouns and names that recur in several texts name them, the most frequent first', () => {
  const texts = ['Maya bought a kiln in Porto.', 'The kiln needs a shelf.', 'Porto has two kilns, says Maya.']
  same(labelWords(texts), ['kiln', 'Maya', 'Porto'])
})

test('identifiers, abbreviations, numbers, units, calendar words, split words and words of one text name nothing', () => {
  const texts = [
    'On Mondays the NULL column of the UI took 40 minutes: user_id, userId, INC-7744, 3.2, Szczepańska.',
    'On Mondays the NULL value of the UI took 40 minutes: user_id, userId, INC-7744, 3.2, Szczepańska.',
  ]
  same(labelWords(texts), [])
})
