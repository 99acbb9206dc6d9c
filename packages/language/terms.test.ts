import assert from 'node:assert/strict'
import { it } from 'node:test'
import { names } from './names.ts'
import { sentences } from './sentences.ts'
import { keywords, terms } from './terms.ts'
import { approximateTokens } from './tokens.ts'

it('terms are stems of content words, so that forms of a word match', () => {
  assert.deepEqual(terms('I’ve been running in the parks!'), terms('She runs to a park'))
  assert.deepEqual(terms('It was the one that they had.'), [])
})

it('keywords put names first, then nouns, and keep their order among equals', () => {
  assert.deepEqual(keywords(['My dog Rex loves the river.', 'Rex swims.'], 3), ['Rex', 'dog', 'river'])
})

it('names are persons if they are known or the text says so, else entities', () => {
  assert.deepEqual(names("Hey Emma, I'm off to the Museum of Modern Art in May with my friend Zorg."), {
    persons: ['Emma', 'Zorg'],
    entities: ['Museum of Modern Art'],
  })
})

it('sentences are cut at their ends and at line breaks', () => {
  assert.deepEqual(sentences('I saw Dr. Gray. We talked!\nThen I left'), [
    'I saw Dr. Gray.',
    'We talked!',
    'Then I left',
  ])
})

it('tokens count words, digits by threes, and signs', () => {
  assert.equal(approximateTokens('I have 12 cats.'), 5)
  assert.equal(approximateTokens(''), 0)
})
