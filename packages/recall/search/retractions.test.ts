import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { memory, row } from '../fixture.ts'
import { recall } from '../recall.ts'

const home = 'acme/home'

/** A fact of `u0` was retracted. Both say where Ann lives. */
async function retracted(t: TestContext) {
  const place = await memory(t)
  const said = ['I live in Porto.', 'I live in a flat in Lisbon.']
  const spoken = said.map((text, n) =>
    row(home, `u${n}`, `Ann: ${text}`, { speaker: 'Ann', conversation: 'a', at: n, offset: n }),
  )
  const correction = { action: 'retract', by: 'Ann', role: 'human', reason: null, target: 'fact' }
  const asked = { correction, sources: ['u0'], knownFrom: 10, knownTo: 10, vector: null, offset: 2 }
  await place.write('utterances', [...(await Promise.all(spoken)), await row(home, 'c1', 'Ann: retract', asked)])
  const marked = async () => {
    const { items } = await recall({ space: home, query: 'Where does Ann live, in Porto or in Lisbon?' }, place)
    return items.map(({ id, retractedBy = [] }) => [id, ...retractedBy])
  }
  return { place, marked }
}

test('an utterance is marked in every generation, also where no fact has the id that the correction names', async (t) => {
  const { marked } = await retracted(t)
  assert.deepEqual(await marked(), [['u1'], ['u0', 'c1']])
})

test('an utterance is not marked while a current fact cites it', async (t) => {
  const { place, marked } = await retracted(t)
  await place.write('facts', [
    await row(home, 'fact', 'Ann lives in Porto.', { sources: ['u0'], knownTo: 11 }),
    await row(home, 'other', 'Ann has a home.', { sources: ['u0'] }),
  ])
  assert.deepEqual((await marked()).toSorted(), [['u0'], ['u1']])
})

test('an utterance stays marked after an undo of more utterances than a scan reads', async (t) => {
  const { place, marked } = await retracted(t)
  const undone = Array.from({ length: 1_001 }, (_, n) =>
    row(home, `undone${n}`, 'Ben: No.', { conversation: 'b', vector: null, knownTo: 20 + n, offset: 3 + n }),
  )
  await place.write('utterances', await Promise.all(undone))
  await place.write('facts', [await row(home, 'fact', 'Ann lives in Porto.', { sources: ['u0'], knownTo: 11 })])
  assert.deepEqual(await marked(), [['u1'], ['u0', 'c1']])
})
