/** A small selection of the scenario `damage`; all of it runs by `npm run test:faults -- --scenario damage`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../seeded-random.ts'
import { testDamage } from './damage.ts'
import { damages } from './damage-kinds.ts'

const selection = [
  'no byte in log.db',
  'half of completions-index.db',
  'garbage in vectors.db',
  'garbage in utterances-index.db',
  'garbage in a manifest of the view of facts',
  'no file a data file of the view of utterances',
  'inverted vectors in the view of facts',
  'no views',
]

test('damage to the log is refused; damage to views, indexes and caches is reported and healed', async (t) => {
  const kinds = damages.filter(({ name }) => selection.includes(name))
  assert.equal(kinds.length, selection.length)
  const verdict = await testDamage({ random: seededRandom(1), say: (text) => t.diagnostic(text) }, kinds)
  assert.ok(verdict.isKept, JSON.stringify(verdict.details))
})
