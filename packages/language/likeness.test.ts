import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Likeness, likeness } from './likeness.ts'

const told = (text: string, subject = 'Ann', object = '') => ({ text, subject, relation: '', object })
const of = (memory: string, target: ReturnType<typeof told>, ...others: readonly string[]): Likeness =>
  likeness(told(memory), target, others)

const lisbon = told('Ann lives in Lisbon.', 'Ann', 'Lisbon')

test('the same words, with others around them or another verb, are the same', () => {
  for (const memory of [
    'Ann lives in Lisbon.',
    'Ann is living in Lisbon now.',
    'According to Ann, she lives in Lisbon.',
    'Ann resides in Lisbon.',
    'Ann told: I live in Lisbon, in a flat.',
    'Lisbon is where Ann lives.',
  ]) {
    assert.equal(of(memory, lisbon), 'same', memory)
  }
})

test('another value, another person, a denial or another subject is not the same', () => {
  for (const memory of ['Ann lives in Porto.', 'Ann adopted a cat.', 'Ann does not live in Lisbon.']) {
    assert.notEqual(of(memory, lisbon), 'same', memory)
  }
  assert.notEqual(likeness(told('Ben lives in Lisbon.', 'Ben'), lisbon, []), 'same')
  const visit = told('Ann visited the Museum of Modern Art in Paris on 3 May 2024.')
  assert.notEqual(of('Ann visited the Museum of Modern Art in Rome on 3 May 2024.', visit), 'same')
})

test('a memory that is nearer to another statement from the evidence is not the target', () => {
  const guitar = told('Ann plays guitar on Mondays at school.')
  const piano = 'Ann plays piano on Mondays at school.'
  assert.equal(of(piano, guitar), 'same', 'it is near enough by itself')
  assert.equal(of(piano, guitar, piano), 'other')
  assert.equal(of('Ann practises the piano on Mondays at school.', guitar, piano), 'other')
  assert.equal(of('Ann practises the guitar on Mondays at school.', guitar, piano), 'same')
})

test('a sentence that adds something to the target is the same', () => {
  assert.equal(of('Ann lives in Lisbon and works at Acme.', lisbon, 'Ann works at Acme.'), 'same')
})

test('a unique name identifies the target, but not alone', () => {
  const dog = told('Ann adopted a dog named Rufo.')
  assert.equal(of('Ann took in Rufo, a stray dog.', dog, lisbon.text), 'same')
  assert.equal(of('Ann took in Rufo, a stray dog.', dog, 'Ann walks a dog named Rufo every day.'), 'unsure')
  assert.equal(of('Ann took Rufo to the vet.', dog, lisbon.text), 'other')
})

test('an ambiguous memory is unsure', () => {
  const boat = told('Ann bought a small red boat.')
  assert.equal(of('Ann mended a red boat and its engine.', boat, 'Ann sold a red car.'), 'unsure')
})
