import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownOf } from './shown.ts'
import { stemsOf } from './stems.ts'

const about = (question: string) => new Set(stemsOf(question).counts.keys())

test('greetings, praise and questions are not shown, and what is told stays word for word', () => {
  const text = 'Ann: Hey Bob! That sounds awesome. I sold the old boat to a fisherman in Porto. How about you?'
  assert.equal(shownOf(text, 'Ann', about('Where?')), 'Ann: I sold the old boat to a fisherman in Porto.')
})

test('a sentence with a word of the question, a number or a time stays, whatever it is', () => {
  const text = 'Ann: Thanks a lot! For walking or running? It was 5 euros. See you next week!'
  assert.equal(
    shownOf(text, 'Ann', about('What are the shoes for, running?')),
    'Ann: For walking or running? It was 5 euros. See you next week!',
  )
})

test('what tells nothing else is shown whole, and images keep what they show', () => {
  assert.equal(shownOf('Ann: Wow, thanks!', 'Ann', about('boat')), 'Ann: Wow, thanks!')
  assert.equal(shownOf('Ann: Look! [image: a photo of a canoe]', 'Ann', about('x')), 'Ann: [image: a canoe]')
})
