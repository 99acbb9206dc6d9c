import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stemsOf } from '../text/stems.ts'
import { shownOf } from './shorten-utterance.ts'

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

test('an opening interjection is left away, but never a no', () => {
  assert.equal(shownOf('Ann: Yeah, Bob, I sold the boat.', 'Ann', about('Where?')), 'Ann: I sold the boat.')
  assert.equal(shownOf('Ann: No, I sold the boat.', 'Ann', about('Where?')), 'Ann: No, I sold the boat.')
})

test('of what is unlikely to be evidence a caption is shown where it holds a word of the question, or nothing else is told', () => {
  const text = 'Ann: I sold the boat. [image: a photo of a red canoe]'
  assert.equal(shownOf(text, 'Ann', about('Where?'), 'asked about'), 'Ann: I sold the boat.')
  const red = 'Ann: I sold the boat. [image: a red canoe]'
  assert.equal(shownOf(text, 'Ann', about('What is red?'), 'asked about'), red)
  assert.equal(shownOf(text, 'Ann', about('Where?')), red)
  assert.equal(shownOf('Ann: Look! [image: a canoe]', 'Ann', about('x'), 'asked about'), 'Ann: [image: a canoe]')
})
