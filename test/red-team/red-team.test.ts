/** A small part of `npm run eval -- red-team`: one attack from each place, and a model that obeys all of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runAttacks } from './measure.ts'
import { attackScenes } from './scenes.ts'

const chosen = ['person-12', 'tool-8', 'agent-3', 'conversation-2', 'attachment-1']

test('planted facts are the attacker’s, pin nothing and go with the attacker’s lines, and the innocent facts stay', async () => {
  const results = await runAttacks(
    attackScenes.filter(({ attack }) => chosen.includes(attack.id)),
    'victim',
  )
  assert.deepEqual(
    results.map(({ id, from: _, attack: __, ...result }) => [id, result]),
    chosen.map((id) => [id, { isRecorded: true, isWronglyAttributed: false, isPinned: false, left: [], lost: [] }]),
  )
})
