import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stemsOf } from '../text/stems.ts'
import { shortenUtterance } from './shorten-utterance.ts'

const about = (question: string) => new Set(stemsOf(question).counts.keys())

test('greetings, praise and questions are dropped, and other sentences stay word for word', () => {
  const text = 'Hey Bob! That sounds awesome. I sold the old boat to a fisherman in Porto. How about you?'
  assert.equal(shortenUtterance(text, about('Where?')), 'I sold the old boat to a fisherman in Porto.')
})

test('a social sentence with a word of the question, a number or a time stays', () => {
  const text = 'Thanks a lot! For walking or running? It was 5 euros. See you next week!'
  assert.equal(
    shortenUtterance(text, about('What are the shoes for, running?')),
    'For walking or running? It was 5 euros. See you next week!',
  )
})

test('an utterance of social sentences alone stays whole, and captions lose their boilerplate', () => {
  assert.equal(shortenUtterance('Wow, thanks!', about('boat')), 'Wow, thanks!')
  assert.equal(shortenUtterance('Look! [image: a photo of a canoe]', about('x')), '[image: a canoe]')
})

test('an opening interjection is dropped, but never a no', () => {
  assert.equal(shortenUtterance('Yeah, Bob, I sold the boat.', about('Where?')), 'I sold the boat.')
  assert.equal(shortenUtterance('No, I sold the boat.', about('Where?')), 'No, I sold the boat.')
})

test('an unlikely candidate keeps its caption only with a word of the question, or if it has no other words', () => {
  const text = 'I sold the boat. [image: a photo of a red canoe]'
  assert.equal(shortenUtterance(text, about('Where?'), 'matching'), 'I sold the boat.')
  const red = 'I sold the boat. [image: a red canoe]'
  assert.equal(shortenUtterance(text, about('What is red?'), 'matching'), red)
  assert.equal(shortenUtterance(text, about('Where?')), red)
  assert.equal(shortenUtterance('Look! [image: a canoe]', about('x'), 'matching'), '[image: a canoe]')
})
