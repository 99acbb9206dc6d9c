import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageOf } from '@loomlog/language/language'
import { keywords, terms } from '@loomlog/language/terms'
import { stemOf } from '@loomlog/language/words'
import { forgetTexts } from '@loomlog/text-caches'
import { placeStems } from '../../packages/recall/ranking/stem-numbers.ts'
import { stemsOf } from '../../packages/recall/text/stems.ts'
import { tokensOf } from '../../packages/recall/text/tokens.ts'
import { wordsOf } from '../../packages/views/words.ts'
import { countStringsWith, freshCanary } from '../heap-strings.ts'

/** Every function of a text that has a cache of its own. */
const readers: Readonly<Record<string, (word: string) => unknown>> = {
  languageOf: (word) => languageOf(`My ${word} lives in Porto, and likes the harbour there very much.`, null),
  'terms of a word': (word) => terms(word),
  'terms of a text': (word) => terms(`My ${word} lives in Porto.`),
  keywords: (word) => keywords([`My ${word} lives in Porto.`], 5),
  stemOf: (word) => stemOf(`${word}ing`),
  wordsOf: (word) => wordsOf(`My ${word} lives in Porto.`),
  'stemsOf and placeStems': (word) => placeStems([stemsOf(`My ${word} lives in Porto.`)]),
  'stemsOf of a long text': (word) => stemsOf(`My ${word} lives in Porto. `.repeat(100)),
  tokensOf: (word) => tokensOf(`My ${word} lives in Porto.`),
}

test('a forgetting leaves no word of a text in the caches of this process', async () => {
  const names = Object.keys(readers)
  const canaries = names.map(freshCanary)
  for (const [at, read] of Object.values(readers).entries()) read(String(canaries[at]))
  const before = await countStringsWith(canaries)
  assert.deepEqual(
    names.filter((_, at) => before[at] === 0),
    [],
    'readers without a cache',
  )
  forgetTexts()
  const after = await countStringsWith(canaries)
  assert.deepEqual(
    names.filter((_, at) => after[at] !== 0),
    [],
  )
})
