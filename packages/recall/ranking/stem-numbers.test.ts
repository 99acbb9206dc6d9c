import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgetTexts } from '@loomlog/text-caches'
import { stemsOf } from '../text/stems.ts'
import { placeStems } from './stem-numbers.ts'

const texts = [stemsOf('the boat and the boat of Porto'), stemsOf('Porto again'), stemsOf('')]

/** Each text's stems with their counts, as the places say. */
function counted() {
  const { placeOf, places, counts, ends, size } = placeStems(texts)
  const stems = [...new Set(texts.flatMap(({ counts }) => [...counts.keys()]))]
  const byPlace = new Map(stems.map((stem) => [placeOf(stem), stem]))
  assert.deepEqual([...byPlace.keys()].sort(), [...Array(size).keys()], 'each stem has one place')
  return [...ends].map((end, text) => {
    const own = [...places.keys()].slice(ends[text - 1] ?? 0, end)
    return own.map((at) => [byPlace.get(places[at]), counts[at]])
  })
}

test('places denote the stems of each text, also after the numbering starts again', () => {
  const expected = texts.map(({ counts }) => [...counts])
  assert.deepEqual(counted(), expected)
  const many = new Map(Array.from({ length: 200_001 }, (_, n) => [`stem${n}`, 1] as const))
  assert.equal(placeStems([{ counts: many, length: many.size }]).size, many.size)
  assert.deepEqual(counted(), expected)
})

test('a forgetting between two reads of a question changes none of its places, nor those of a later question', () => {
  const [boat, porto] = [stemsOf('boat'), stemsOf('Porto')]
  const before = placeStems([boat, porto])
  forgetTexts()
  const after = placeStems([porto, stemsOf('lighthouse'), boat])
  assert.deepEqual(['boat', 'porto'].map(before.placeOf), [0, 1])
  assert.deepEqual(['porto', 'boat'].map(after.placeOf), [0, 2])
  assert.equal(before.placeOf('lighthous'), undefined)
  assert.deepEqual([...after.places], [0, 1, 2])
})

test('a question has as many places as its own texts have stems', () => {
  placeStems([stemsOf('a lighthouse far away')])
  const { size, placeOf } = placeStems(texts)
  assert.equal(size, new Set(texts.flatMap(({ counts }) => [...counts.keys()])).size)
  assert.equal(placeOf('lighthous'), undefined, 'a stem of another question')
  assert.equal(placeOf('nowhere'), undefined)
})
