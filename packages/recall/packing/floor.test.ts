import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScoredMemory } from '../memory.ts'
import { pack } from './pack.ts'

const request = { query: 'Where does Ann keep the boat?', limit: 100 }

function utterance(id: string, words: string, score: number, more: Partial<ScoredMemory> = {}): ScoredMemory {
  const when = { at: 0, offset: 0, valid: { from: null, to: null }, known: { from: 0, to: null } }
  const who = { space: 'acme/home', speaker: 'Ann', conversation: 'c', sources: [id], method: null }
  return { id, kind: 'utterance', text: `Ann: ${words}`, score, ...when, ...who, ...more }
}

async function packed(candidates: readonly ScoredMemory[], budgetTokens: number | null, scores?: 'order') {
  const result = await pack(candidates, { ...request, budgetTokens, ...(scores && { scores }) })
  return {
    taken: result.items.map(({ id }) => id).sort(),
    unlikely: result.leftOut.filter(({ why }) => why === 'unlikely').map(({ id }) => id),
  }
}

const candidates = [
  utterance('sure', 'It lies in the harbour of Porto.', 0.81),
  utterance('hint', 'We painted the deck and the mast in spring.', 0.015),
  utterance('terse', 'Ok, thanks!', 0.015),
  utterance('terse boat', 'The boat!', 0.015),
  utterance('raised', 'Lisbon.', 0.015, { raisedBy: 'hint' }),
  utterance('foreign', 'The printer in the office needs paper.', 0.005),
]

test('evidence below the floor is left out of a budget with room, and a line that says next to nothing has a higher floor', async () => {
  const { taken, unlikely } = await packed(candidates, 1_000)
  assert.deepEqual(taken, ['hint', 'raised', 'sure', 'terse boat'])
  assert.deepEqual(unlikely, ['terse', 'foreign'])
})

test('the floor falls with the best candidate and in a large budget', async () => {
  const withoutSure = candidates.filter(({ id }) => id !== 'sure')
  assert.deepEqual((await packed(withoutSure, 1_000)).unlikely, [])
  assert.deepEqual((await packed(candidates, 4_000)).unlikely, [])
})

test('no floor applies to a recall by limit, nor to scores that only order the candidates', async () => {
  assert.equal((await packed(candidates, null)).taken.length, candidates.length)
  assert.equal((await packed(candidates, 1_000, 'order')).taken.length, candidates.length)
})
