import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stemsOf } from '../text/stems.ts'
import { numberStems } from './stem-numbers.ts'

const texts = [stemsOf('the boat and the boat of Porto'), stemsOf('Porto again'), stemsOf('')]

/** Each text's stems with their counts, as the numbers say. */
function counted() {
  const { numberOf, texts: numbered, size } = numberStems(texts)
  const stems = new Map(
    [...new Set(texts.flatMap(({ counts }) => [...counts.keys()]))].map((each) => [numberOf(each), each]),
  )
  assert.ok([...stems.keys()].every((number) => number !== undefined && number < size))
  return numbered.map((pairs) => {
    const found: (readonly [string | undefined, number | undefined])[] = []
    for (let at = 0; at < pairs.length; at += 2) found.push([stems.get(pairs[at]), pairs[at + 1]])
    return found
  })
}

test('numbers stand for the stems of each text, also after the numbering began again', () => {
  const expected = texts.map(({ counts }) => [...counts])
  assert.deepEqual(counted(), expected)
  const many = new Map(Array.from({ length: 200_001 }, (_, n) => [`stem${n}`, 1] as const))
  const { size } = numberStems([{ counts: many, length: many.size }])
  assert.ok(size > many.size)
  assert.deepEqual(counted(), expected)
  assert.ok(numberStems(texts).size < 10, 'the many stems are gone')
})
